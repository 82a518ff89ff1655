import { mkdir, rm, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { startService } from "pulumi-agent-log-config/testing";
import packageJson from "../package.json" with { type: "json" };
import { findPulumi } from "../test/engine/find-pulumi.ts";
import { installPackage } from "../test/engine/install-package.ts";
import { openDeployment } from "../test/engine/open-deployment.ts";
import { median } from "./median.ts";
import { startDelay } from "./start-delay.ts";

// How long previews take with resources that are read, beside the same program with the values written down.

const SDK_VERSION = packageJson.devDependencies["@pulumi/pulumi"];
const ROUNDS = 7;
const SETTINGS = { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } };
const CASES = [
  { resources: 1, delayMilliseconds: 0 },
  { resources: 1, delayMilliseconds: 40 },
  { resources: 200, delayMilliseconds: 0 },
  { resources: 200, delayMilliseconds: 40 },
];

const pulumi = findPulumi();
if ("reason" in pulumi) {
  process.stdout.write(`The preview benchmark needs a Pulumi CLI: ${pulumi.reason}.\n`);
} else {
  const folder = await installPackage([`@pulumi/pulumi@${SDK_VERSION}`]);
  try {
    for (const each of CASES) process.stdout.write(`${await measure(folder, each)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(
    `${ROUNDS} interleaved rounds, medians; Pulumi CLI ${pulumi.version}, Node.js ${process.version}, ${cpus().length} cores\n`,
  );
}

async function measure(folder: string, { resources, delayMilliseconds }: (typeof CASES)[number]): Promise<string> {
  const service = await startService();
  const proxy = await startDelay(new URL(service.baseUrl).port, delayMilliseconds);
  for (let index = 0; index < resources; index += 1) service.set(projectId(index), "monitoring", SETTINGS);
  const programs = await Promise.all([
    openProgram(folder, "read", resources, proxy.origin),
    openProgram(folder, "literal", resources, proxy.origin),
  ]);
  const seconds: [number[], number[]] = [[], []];
  const before = service.requests.length;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, program] of programs.entries()) {
      const started = performance.now();
      const { ok, text } = await program.preview();
      if (!ok) throw new Error(text);
      // The first round warms up.
      if (round > 0) seconds[index === 0 ? 0 : 1].push((performance.now() - started) / 1000);
    }
  }
  const requests = (service.requests.length - before) / (ROUNDS + 1);
  await Promise.all(programs.map((program) => program.close()));
  proxy.server.close();
  await service.close();
  const [read, literal] = [median(seconds[0]), median(seconds[1])];
  const ratio = median(seconds[0].map((value, index) => value / (seconds[1][index] ?? Number.NaN)));
  return `${resources} resources, ${delayMilliseconds} ms: read ${read.toFixed(2)} s, literal ${literal.toFixed(2)} s, ratio ${ratio.toFixed(3)}, ${requests} requests a preview`;
}

function projectId(index: number): string {
  return index.toString(16).padStart(24, "0");
}

async function openProgram(folder: string, kind: "read" | "literal", resources: number, baseUrl: string) {
  const directory = path.join(folder, `${kind}-${resources}-${Math.random().toString(36).slice(2)}`);
  await mkdir(directory);
  const write = (file: string, text: string) => writeFile(path.join(directory, file), text);
  await write("Pulumi.yaml", "name: bench\nruntime: nodejs\n");
  await write("package.json", JSON.stringify({ main: "index.js" }));
  await write("index.js", kind === "read" ? readProgram(resources) : literalProgram(resources));
  const deployment = await openDeployment({ directory, engine: "real" });
  await deployment.setConfig("agent-log-config:baseUrl", baseUrl);
  await deployment.setConfig("agent-log-config:publicKey", "publickey");
  await deployment.setConfig("agent-log-config:privateKey", "private-key-0001", { secret: true });
  await deployment.setConfig("agent-log-config:allowHttp", "true");
  return deployment;
}

function readProgram(resources: number): string {
  return `const { AgentLogConfig } = require("pulumi-agent-log-config");
for (let i = 0; i < ${resources}; i += 1) {
  new AgentLogConfig("r" + i, { projectId: i.toString(16).padStart(24, "0"), agent: "monitoring" });
}
`;
}

/** The same resource as the engine sees it, by the SDK's own means. */
function literalProgram(resources: number): string {
  return `const pulumi = require("@pulumi/pulumi");
const { join } = require("node:path");
const shared = (file) => require(join(require.resolve("pulumi-agent-log-config"), "../shared", file));
const { PROVIDER_TEXT } = shared("provider-text.js");
const { fingerprintsOf } = shared("reading.js");
const { lookUpConnection } = shared("connection-settings.js");
const connection = fingerprintsOf(lookUpConnection(pulumi.runtime.getConfig));
class Literal extends pulumi.CustomResource {}
for (let i = 0; i < ${resources}; i += 1) {
  new Literal("pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig", "r" + i, {
    ...${JSON.stringify({ ...SETTINGS, logPathWindows: null, username: null })},
    configOverrides: pulumi.secret(null),
    projectId: i.toString(16).padStart(24, "0"),
    agent: "monitoring",
    __reading: { projectId: i.toString(16).padStart(24, "0"), agent: "monitoring", connection, problem: null, secrets: [], others: [] },
    __provider: PROVIDER_TEXT,
  }, { additionalSecretOutputs: ["configOverrides"] });
}
`;
}
