import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { LOG_PATH, PROJECT_ID } from "../client/open-client.ts";

/** Where a server runs and what it is to be given. */
export interface Place {
  readonly port: number;
  /** A directory of its own, which other users can read. */
  readonly directory: string;
  /** What its access log must be called; one line for each request. */
  readonly accessLog: string;
}

export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  /** The signal that makes it end what it does, write its log and exit. */
  readonly stopSignal: NodeJS.Signals;
}

export interface ServerProcess {
  readonly origin: string;
  restart(): Promise<void>;
  /** Stops the server and reads its access log. */
  stop(): Promise<readonly string[]>;
}

/** A server that this machine may have. */
export interface RealServer {
  /** Why it can't be used; undefined where it is installed. */
  readonly missing: string | undefined;
  start(): Promise<ServerProcess>;
}

/** Starts a server in the foreground of a child process that ends with the test. */
export async function startServerProcess(prepare: (place: Place) => Promise<Command>): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), "digest-server-"));
  await chmod(directory, 0o755);
  const accessLog = join(directory, "access.log");
  const port = await freePort();
  const command = await prepare({ port, directory, accessLog });
  let running = await run(command, port);
  onTestFinished(async () => {
    // Not SIGKILL, which would leave the children of Apache httpd behind.
    await running.end("SIGTERM");
    await rm(directory, { recursive: true });
  });
  return {
    origin: `https://127.0.0.1:${port}`,
    async restart() {
      await running.end("SIGTERM");
      running = await run(command, port);
    },
    async stop() {
      await running.end(command.stopSignal);
      return (await readFile(accessLog, "utf8")).split("\n").filter((line) => line !== "");
    },
  };
}

interface Running {
  end(signal: NodeJS.Signals): Promise<void>;
}

async function run(command: Command, port: number): Promise<Running> {
  const child = spawn(command.program, command.arguments, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  }
  const exited = once(child, "exit");
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${command.program} does not start: ${printed}`);
    await setTimeout(20);
  }
  return {
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port.");
  return address.port;
}

/** Writes the settings of one agent, where a server that serves this folder finds them. */
export async function writeSettings(documents: string): Promise<void> {
  const file = join(documents, `api/public/v1.0/groups/${PROJECT_ID}/automationConfig/monitoringAgentConfig`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `{"logPath":"${LOG_PATH}"}\n`);
}

/** The first of these programs on PATH or where servers are installed. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
