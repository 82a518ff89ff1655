import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { AgentKind } from "../model/read-arguments.ts";
import { type Service, startServer } from "../testing/start-service.ts";
import { wrongArguments } from "./wrong-arguments.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const KEY = { publicKey: "publickey", privateKey: "private-key-0001" };
const BOTH = { monitoring: standInSettings("monitoring", 1000), backup: standInSettings("backup", 1000) };
/** Beside it, the projects of the pages and the examples. */
const OTHER_IDS = ["89abcdef0123456789abcdef", "0123456789abcdef01234568", "0123456789abcdef01234569"];

/** Runs a stand-in for the service until it is interrupted. Returns the exit code. */
export async function standIn(args: readonly string[]): Promise<number> {
  let port: number;
  try {
    port = parsePort(args);
  } catch (error) {
    return wrongArguments(error);
  }
  const settings = Object.fromEntries([PROJECT_ID, ...OTHER_IDS].map((id) => [id, BOTH]));
  const start = startServer({ ...KEY, port, settings }, () => {});
  const service = await start.catch((error: NodeJS.ErrnoException) => error);
  if (service instanceof Error) {
    const why = service.code === "EADDRINUSE" ? "is in use" : `can't be used (${service.code})`;
    const message = `The stand-in did not start because port ${port} ${why}; name another port with --port.`;
    process.stderr.write(`${message}\n`);
    return 1;
  }
  process.stdout.write(introductionOf(service));
  const lines = changeAtEachLine(service);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  lines.close();
  await service.close();
  return 0;
}

function parsePort(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { port: { type: "string", default: "8080" } } });
  if (/^\d{1,5}$/.test(values.port) && Number(values.port) <= 65_535) return Number(values.port);
  throw new Error("--port needs a whole number from 0 to 65535.");
}

function standInSettings(agent: AgentKind, sizeThresholdMB: number) {
  return {
    logPath: `/var/log/agents/${agent}-agent.log`,
    logPathWindows: `%SystemDrive%\\agents\\${agent}-agent.log`,
    logRotate: { sizeThresholdMB, timeThresholdHrs: 24 },
  };
}

function introductionOf({ baseUrl }: Pick<Service, "baseUrl">): string {
  return `A stand-in for the service listens on this machine. Run this in the folder of
your program:

    pulumi config set agent-log-config:baseUrl ${new URL(baseUrl).origin}
    pulumi config set agent-log-config:allowHttp true
    pulumi config set agent-log-config:publicKey ${KEY.publicKey}
    pulumi config set --secret agent-log-config:privateKey ${KEY.privateKey}

The project's id is ${PROJECT_ID}
Press Enter to change the threshold of its monitoring agent. Then run
pulumi preview --diff, which shows the change.
Press Ctrl+C to end.
`;
}

function changeAtEachLine(service: Pick<Service, "set">) {
  let sizeThresholdMB = 1000;
  const lines = createInterface({ input: process.stdin });
  // Under nohup the standard input can't be read.
  lines.on("error", () => {});
  return lines.on("line", () => {
    const before = sizeThresholdMB;
    sizeThresholdMB = before === 1000 ? 500 : 1000;
    service.set(PROJECT_ID, "monitoring", standInSettings("monitoring", sizeThresholdMB));
    process.stdout.write(`The monitoring agent's sizeThresholdMB was ${before} and is ${sizeThresholdMB}.\n`);
  });
}
