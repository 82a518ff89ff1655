import { execFile, execFileSync, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import type { Contender } from "./contender.ts";
import type { Order } from "./peer-process.ts";
import { CREDENTIALS, pathOf } from "./start-server.ts";

const folder = new URL("peers/", import.meta.url);
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });
const outcomeSchema = z.object({ seconds: z.number(), cpuSeconds: z.number(), succeeded: z.number() });

/** Returns the versions of the packages in `peers/` and installs those that are missing; undefined if that fails. */
export function installPeers(): Readonly<Record<string, string>> | undefined {
  const { dependencies } = manifestSchema.parse(JSON.parse(readFileSync(new URL("package.json", folder), "utf8")));
  const missing = () =>
    Object.keys(dependencies).filter((name) => !existsSync(new URL(`node_modules/${name}`, folder)));
  if (missing().length > 0) install();
  return missing().length > 0 ? undefined : dependencies;
}

function install(): void {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"];
  const command = ["ci", "--prefix", fileURLToPath(folder), ...options];
  const npm = process.env["npm_execpath"];
  const [program, ...args] = npm === undefined ? ["npm", ...command] : [process.execPath, npm, ...command];
  // `npm run` passes its own settings on, and the folder of the project is among them.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "npm_config_local_prefix"));
  spawnSync(program, args, { stdio: "inherit", env });
}

/** One of the packages in `peers/`. Each run has a new process, because some of them count for all of their process. */
export function peerContender(packageName: string, version: string, certificateFile: string): Contender {
  return {
    name: `${packageName} ${version}`,
    opensForEveryRun: true,
    async open({ origin }) {
      const file = fileURLToPath(new URL("peer-process.ts", import.meta.url));
      const peer = fork(file, [packageName, certificateFile, `${origin}${pathOf("shared")}`]);
      const ended = new AbortController();
      peer.once("exit", () => ended.abort());
      const receive = async (): Promise<unknown> => {
        const [message]: unknown[] = await once(peer, "message", { signal: ended.signal });
        return message;
      };
      await receive();
      return {
        async run(reads, atATime) {
          const order: Order = { reads, atATime };
          peer.send(order);
          return outcomeSchema.parse(await receive());
        },
        async close() {
          peer.kill();
        },
      };
    },
  };
}

/** `curl --digest`, one process for all reads of a run; undefined if it is not installed. */
export function curlContender(certificateFile: string): Contender | undefined {
  const version = curlVersion();
  if (version === undefined) return undefined;
  return {
    name: `curl --digest ${version}`,
    opensForEveryRun: true,
    async open(server) {
      return {
        async run(reads, atATime) {
          const start = performance.now();
          const { stdout } = await promisify(execFile)("curl", [
            ...["--silent", "--cacert", certificateFile, "--noproxy", "*", "--max-time", "30"],
            ...["--digest", "--user", `${CREDENTIALS.username}:${CREDENTIALS.password}`],
            ...["--output", "/dev/null", "--write-out", "%{http_code}\n"],
            ...(atATime === 1 ? [] : ["--parallel", "--parallel-max", String(atATime)]),
            // The fragment is not sent, so the server sees one and the same request.
            `${server.origin}${pathOf("shared")}#[1-${reads}]`,
          ]);
          const seconds = (performance.now() - start) / 1000;
          return { seconds, succeeded: stdout.split("\n").filter((status) => status === "200").length };
        },
        async close() {},
      };
    },
  };
}

function curlVersion(): string | undefined {
  try {
    return /^curl (\S+)/.exec(execFileSync("curl", ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}
