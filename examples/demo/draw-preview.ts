import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Service, startService } from "pulumi-agent-log-config/testing";
import { cliEnvironment } from "../../test/deployment/cli-environment.ts";
import { findPulumi } from "../../test/deployment/find-pulumi.ts";
import { runCommand } from "../../test/deployment/run-command.ts";
import { DARK, LIGHT, renderTerminal } from "./render-terminal.ts";
import { withoutUrns } from "./without-urns.ts";

// Draws what the real CLI shows of drift, as docs/preview-light.svg and docs/preview-dark.svg.

const PROJECT_ID = "0123456789abcdef01234567";
const LOG_ROTATE = { sizeThresholdMB: 1000, timeThresholdHrs: 24 };
const COMMAND = ["preview", "--diff"];

const program = path.join(import.meta.dirname, "../read-settings");
const pictures = path.join(import.meta.dirname, "../../docs");
const service = await startService();
const folder = await mkdtemp(path.join(tmpdir(), "preview-"));
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
  const config = ["--config-file", path.join(folder, "Pulumi.dev.yaml")];
  await copyFile(path.join(program, "Pulumi.yaml"), path.join(folder, "Pulumi.yaml"));
  await pulumi(folder, "stack", "init");
  await pulumi(folder, "config", "set", "projectId", PROJECT_ID, ...config);

  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agents/monitoring.log", logRotate: LOG_ROTATE });
  service.set(PROJECT_ID, "backup", { logPath: "/var/log/agents/backup.log", logRotate: LOG_ROTATE });
  await pulumi(program, "up", "--yes", "--skip-preview", ...config);

  const changed = { ...LOG_ROTATE, sizeThresholdMB: 500 };
  service.set(PROJECT_ID, "monitoring", { logPath: "/mnt/log/agents/monitoring.log", logRotate: changed });
  return pulumi(program, ...COMMAND, ...config);
}

function openPulumi({ baseUrl }: Service): (cwd: string, ...args: readonly string[]) => Promise<string> {
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
  return async (cwd, ...args) => {
    const flags = ["--stack", "dev", "--non-interactive", "--color", "always"];
    const options = { cwd, env, signal: AbortSignal.timeout(120_000) };
    const { exitCode, stdout, stderr } = await runCommand(found.command, [...flags, ...args], options);
    if (exitCode !== 0) throw new Error(`pulumi ${args[0]} ended with ${exitCode}: ${stderr}`);
    return stdout;
  };
}
