import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Service, startService } from "pulumi-agent-log-config/testing";
import { cliEnvironment } from "../../test/deployment/cli-environment.ts";
import { findPulumi } from "../../test/deployment/find-pulumi.ts";
import { runCommand } from "../../test/deployment/run-command.ts";
import { DARK, LIGHT, renderTerminal } from "./render-terminal.ts";
import { withoutUrns } from "./without-urns.ts";

// Draws what the real CLI shows of drift in the program of README, as docs/preview-light.svg and docs/preview-dark.svg.

const PROJECT_ID = "0123456789abcdef01234567";
const COMMAND = ["preview", "--diff"];

const root = path.join(import.meta.dirname, "../..");
const pictures = path.join(root, "docs");
const service = await startService();
// In this folder the program finds the package.
const folder = await mkdtemp(path.join(import.meta.dirname, "program-"));
try {
  const shown = withoutUrns(await previewDrift());
  const text = `$ pulumi ${COMMAND.join(" ")}\n${shown}`;
  await writeFile(path.join(pictures, "preview-light.svg"), renderTerminal(text, LIGHT));
  await writeFile(path.join(pictures, "preview-dark.svg"), renderTerminal(text, DARK));
} finally {
  await service.close();
  await rm(folder, { recursive: true });
}

async function previewDrift(): Promise<string> {
  const pulumi = openPulumi(service);
  const [, program = ""] = /^```ts\n(.*?)^```$/ms.exec(await readFile(path.join(root, "README.md"), "utf8")) ?? [];
  await writeFile(path.join(folder, "index.ts"), program);
  await writeFile(path.join(folder, "Pulumi.yaml"), "name: agents\nruntime: nodejs\nmain: index.ts\n");
  await writeFile(path.join(folder, "package.json"), '{ "type": "module" }');
  await pulumi("stack", "init");
  setThreshold(1000);
  await pulumi("up", "--yes", "--skip-preview");
  setThreshold(500);
  return pulumi(...COMMAND);
}

function setThreshold(sizeThresholdMB: number): void {
  const logRotate = { sizeThresholdMB, timeThresholdHrs: 24 };
  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agents/monitoring-agent.log", logRotate });
}

function openPulumi({ baseUrl }: Service): (...args: readonly string[]) => Promise<string> {
  const found = findPulumi();
  if ("reason" in found) throw new Error(`The picture is of the real CLI: ${found.reason}.`);
  const env = cliEnvironment(
    found.path,
    { home: path.join(folder, "home"), backend: folder },
    {
      AGENT_LOG_CONFIG_BASE_URL: baseUrl,
      AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
      AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-0001",
      AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
    },
  );
  return async (...args) => {
    const flags = ["--stack", "dev", "--non-interactive", "--color", "always"];
    const options = { cwd: folder, env, signal: AbortSignal.timeout(120_000) };
    const { exitCode, stdout, stderr } = await runCommand(found.command, [...flags, ...args], options);
    if (exitCode !== 0) throw new Error(`pulumi ${args[0]} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
}
