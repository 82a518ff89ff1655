import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, globSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { devNull } from "node:os";
import path from "node:path";
import { expect, it, type TestContext, vi } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { listen } from "../servers/listen.ts";
import { MAIN, runMain } from "./run-main.ts";

const root = path.join(import.meta.dirname, "../..");

/** Starts the command on a free port, and a client with the connection that it prints. */
async function open(
  context: TestContext,
  input: "pipe" | "ignore" | number = "pipe",
  nodeArgs: readonly string[] = [],
) {
  const args = [...nodeArgs, MAIN, "stand-in", "--port", "0"];
  const child = spawn(process.execPath, args, { stdio: [input, "pipe", "inherit", "ipc"] });
  context.onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  const says = (text: string) => vi.waitFor(() => expect(said).toContain(text), 60_000);
  await says("Press Ctrl+C to end.\n");
  const printed = (pattern: RegExp) => pattern.exec(said)?.[1] ?? "not printed";
  const client = new AgentLogConfigClient({
    baseUrl: printed(/^ {4}pulumi config set agent-log-config:baseUrl (http:\S+)$/m),
    publicKey: printed(/^ {4}pulumi config set agent-log-config:publicKey (\S+)$/m),
    privateKey: printed(/^ {4}pulumi config set --secret agent-log-config:privateKey (\S+)$/m),
    allowHttp: printed(/^ {4}pulumi config set agent-log-config:allowHttp (\S+)$/m) === "true",
  });
  context.onTestFinished(() => client.close());
  const threshold = async () => {
    const projectId = printed(/id is ([0-9a-f]{24})$/m);
    return (await client.get({ projectId, agent: "monitoring" })).logRotate?.sizeThresholdMB;
  };
  const end = (signal: "SIGINT" | "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { child, says, said: () => said, client, threshold, end };
}

it("prints the connection, Enter changes a threshold and changes it back, and Ctrl+C ends it", async (context) => {
  const { child, says, said, threshold, end } = await open(context);
  expect(said()).not.toMatch(/.{81}/);
  expect(await threshold()).toBe(1000);
  child.stdin?.write("\n");
  await says("sizeThresholdMB was 1000 and is 500.\n");
  expect(await threshold()).toBe(500);
  child.stdin?.write("\n");
  await says("sizeThresholdMB was 500 and is 1000.\n");
  expect(await threshold()).toBe(1000);
  expect(await end("SIGINT")).toEqual([0, null]);
});

it("goes on where its standard input has ended", async (context) => {
  const { threshold, end } = await open(context, "ignore");
  expect(await threshold()).toBe(1000);
  expect(await end("SIGTERM")).toEqual([0, null]);
});

it("goes on where its standard input can't be read, as under nohup", async (context) => {
  const unreadable = openSync(devNull, "w");
  context.onTestFinished(() => closeSync(unreadable));
  const { threshold, end } = await open(context, unreadable);
  expect(await threshold()).toBe(1000);
  expect(await end("SIGINT")).toEqual([0, null]);
});

it("keeps no request that it has answered", async (context) => {
  const { child, client, threshold } = await open(context, "ignore", ["--expose-gc", "--import", COUNTING]);
  const kept = async () => {
    child.send("How many?");
    const [count]: unknown[] = await once(child, "message");
    return count;
  };
  for (let read = 0; read < 5; read += 1) await threshold();
  // A connection may keep its last request.
  await client.close();
  // The first read was sent twice, because of its challenge.
  await vi.waitFor(async () => expect(await kept()).toEqual({ received: 6, alive: 0 }), 10_000);
});

/** Lets the command say how many requests it has received, and of how many the headers are still in memory. */
const COUNTING = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const headers = [];
  subscribe("http.server.request.start", ({ request }) => headers.push(new WeakRef(request.headers)));
  process.on("message", () => {
    gc();
    process.send({ received: headers.length, alive: headers.filter((each) => each.deref() !== undefined).length });
  });
`)}`;

it("knows every project of the pages and the examples", async (context) => {
  const { client } = await open(context);
  const pages = globSync(["README.md", "docs/*.md", "examples/**/*.md", "tools/schema/schema.json"], { cwd: root });
  const text = pages.map((page) => readFileSync(path.join(root, page), "utf8")).join("\n");
  const projectIds = [...new Set(text.match(/\b[0-9a-f]{24}\b/g))];
  expect(projectIds.length).toBeGreaterThan(3);
  for (const agent of ["monitoring", "backup"] as const) {
    const paths = projectIds.map(async (projectId) => (await client.get({ projectId, agent })).logPath);
    expect(new Set(await Promise.all(paths))).toEqual(new Set([`/var/log/agents/${agent}-agent.log`]));
  }
});

it("says in one sentence that the port is in use", async () => {
  const port = await listen(createServer());
  const { exitCode, stdout, stderr } = await runMain({}, ["stand-in", "--port", String(port)]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    RegExp(`^The stand-in did not start because port ${port} is in use; [^\\n]*--port[^\\n]*\\.\\n$`),
  );
});

it.each([["--port", "80a"], ["--port", "65536"], ["--port", ""], ["8080"], ["--prt"]])(
  "refuses the arguments %s %s",
  async (...args) => {
    const { exitCode, stdout, stderr } = await runMain({}, ["stand-in", ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+ Try --help\.\n$/);
  },
);
