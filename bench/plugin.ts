import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { type Service, startService } from "pulumi-agent-log-config/testing";
import { EXECUTABLE, makePlugin } from "../plugin/make-plugin.ts";
import { cliEnvironment } from "../test/engine/cli-environment.ts";
import { findPulumi } from "../test/engine/find-pulumi.ts";
import { runCommand } from "../test/engine/run-command.ts";
import { median } from "./median.ts";
import { startDelay } from "./start-delay.ts";

// How long the plugin takes to be ready, and previews of YAML programs with it beside one with the values written down.

const ROUNDS = 5;
const SETTINGS = { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } };
const folder = await mkdtemp(path.join(tmpdir(), "plugin-bench-"));
const plugins = path.join(folder, "home/plugins/resource-agent-log-config-v0.1.0");
await makePlugin(plugins);
await writeFile(`${plugins}.lock`, "");

try {
  print("ready after its start", await rounds(ROUNDS * 3, measureStart), 0.15);
  const found = findPulumi();
  if ("reason" in found) process.stdout.write(`The previews need a Pulumi CLI: ${found.reason}.\n`);
  else await measurePreviews(found);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(`medians; Node.js ${process.version}, ${cpus().length} cores\n`);

async function measurePreviews({
  command,
  path: folders,
  version,
}: {
  command: string;
  path: string;
  version: string;
}) {
  const service = await startService();
  const slow = await startDelay(new URL(service.baseUrl).port, 40);
  addProjects(service);
  await mkdir(path.join(folder, "backend"));
  const environment = cliEnvironment(folders, {
    home: path.join(folder, "home"),
    backend: path.join(folder, "backend"),
  });
  const preview = async (name: string, program: string, baseUrl: string) => {
    const directory = path.join(folder, name);
    await mkdir(directory);
    await writeFile(path.join(directory, "Pulumi.yaml"), `name: ${name}\nruntime: yaml\n${program}`);
    const env = {
      ...environment,
      AGENT_LOG_CONFIG_BASE_URL: baseUrl,
      AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
      AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-0001",
      AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
    };
    const run = async (...args: readonly string[]) => {
      const options = { cwd: directory, env, signal: new AbortController().signal };
      const { exitCode, stdout, stderr } = await runCommand(command, [...args, "--non-interactive"], options);
      if (exitCode !== 0) throw new Error(`pulumi ${args[0]}: ${stdout}${stderr}`);
    };
    await run("stack", "init", "dev");
    return () => secondsOf(() => run("preview", "--stack", "dev"));
  };
  const one = await preview("one", resources(1), service.baseUrl);
  const literal = await preview("literal", literals(), service.baseUrl);
  const [seconds, literalSeconds] = await interleaved(one, literal);
  print("preview with a literal Stash", literalSeconds);
  print("preview of 1 resource", seconds);
  const ratio = median(seconds.map((value, index) => value / (literalSeconds[index] ?? Number.NaN)));
  process.stdout.write(`  ${ratio.toFixed(2)} times the literal Stash; goal 1.25\n`);
  print("preview of 200 resources, 0 ms", await rounds(3, await preview("many", resources(200), service.baseUrl)), 1.5);
  print("preview of 200 resources, 40 ms", await rounds(1, await preview("slow", resources(200), slow.origin)));
  print("getAgentLogConfigs of 200, 40 ms", await rounds(3, await preview("function", reads(), slow.origin)), 1.5);
  slow.server.close();
  await service.close();
  process.stdout.write(`Pulumi CLI ${version}\n`);
}

/** From the start of the process to the line with its port. */
async function measureStart(): Promise<number> {
  const started = performance.now();
  const plugin = spawn(path.join(plugins, EXECUTABLE), ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
  await once(plugin.stdout, "data");
  const seconds = (performance.now() - started) / 1000;
  const closed = once(plugin, "close");
  plugin.stdin.end();
  await closed;
  return seconds;
}

async function secondsOf(run: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await run();
  return (performance.now() - started) / 1000;
}

/** The first round warms up. */
async function rounds(count: number, measure: () => Promise<number>): Promise<number[]> {
  const seconds: number[] = [];
  for (let round = 0; round <= count; round += 1) seconds.push(await measure());
  return seconds.slice(1);
}

async function interleaved(one: () => Promise<number>, other: () => Promise<number>): Promise<[number[], number[]]> {
  const seconds: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    seconds[0].push(await one());
    seconds[1].push(await other());
  }
  return [seconds[0].slice(1), seconds[1].slice(1)];
}

function print(what: string, seconds: readonly number[], goal?: number): void {
  const [least, middle] = [Math.min(...seconds), median(seconds)].map((value) => value.toFixed(2));
  process.stdout.write(`${what}: ${middle} s (least ${least})${goal === undefined ? "" : `; goal ${goal} s`}\n`);
}

function addProjects(service: Service): void {
  for (let index = 0; index < 200; index += 1) service.set(projectId(index), "monitoring", SETTINGS);
}

function projectId(index: number): string {
  return index.toString(16).padStart(24, "0");
}

function resources(count: number): string {
  const each = Array.from(
    { length: count },
    (_, index) => `  r${index}:
    type: agent-log-config:AgentLogConfig
    properties: { projectId: "${projectId(index)}", agent: monitoring }`,
  );
  return `resources:\n${each.join("\n")}\noutputs: { logPath: "\${r0.logPath}" }\n`;
}

function literals(): string {
  return `resources:
  r0:
    type: pulumi:index:Stash
    properties: { input: ${JSON.stringify(SETTINGS)} }
outputs: { logPath: "\${r0.output.logPath}" }
`;
}

function reads(): string {
  const projectIds = JSON.stringify(Array.from({ length: 200 }, (_, index) => projectId(index)));
  return `variables:
  settings:
    fn::invoke:
      function: agent-log-config:getAgentLogConfigs
      arguments: { projectIds: ${projectIds}, agents: [monitoring] }
outputs: { logPath: "\${settings.configs[199].logPath}" }
`;
}
