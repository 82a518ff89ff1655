import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { styleText } from "node:util";
import { startService } from "pulumi-agent-log-config/testing";
import type { Deployment, Run } from "../../test/deployment/deployment.ts";
import { findPulumi } from "../../test/deployment/find-pulumi.ts";
import { openDeployment } from "../../test/deployment/open-deployment.ts";
import { withoutUrns } from "./without-urns.ts";

// Shows drift from end to end on a stand-in for the service: read, drift, update, no drift, destroy.

const PROJECT_ID = "0123456789abcdef01234567";
const SETTINGS = {
  logPath: "/var/log/agents/monitoring-agent.log",
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
};

const COLOURS = { "~": "yellow", "+": "green", "-": "red" } as const;

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => interrupted.abort());
// A reader such as `head` may close the pipe early.
process.stdout.on("error", () => interrupted.abort());

const pulumi = findPulumi();
const isReal = !("reason" in pulumi);
say(isReal ? `On the Pulumi CLI ${pulumi.version}:` : `On a stand-in engine (${pulumi.reason}):`);
// Pulumi leaves files there when it is interrupted.
const temporary = await mkdtemp(path.join(tmpdir(), "demo-"));
const service = await startService();
const deployment = await openDeployment({
  directory: path.join(import.meta.dirname, "../read-settings"),
  engine: isReal ? "real" : "stand-in",
  env: { TMPDIR: temporary, TMP: temporary, TEMP: temporary },
});
try {
  await demonstrate(deployment);
} catch (error) {
  if (!signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  await deployment.close();
  await service.close();
  await rm(temporary, { recursive: true, force: true });
}

async function demonstrate({ setConfig, up, preview, destroy }: Deployment): Promise<void> {
  service.set(PROJECT_ID, "monitoring", SETTINGS);
  service.set(PROJECT_ID, "backup", { ...SETTINGS, logPath: "/var/log/agents/backup-agent.log" });
  await setConfig("read-settings:projectId", PROJECT_ID);
  await setConfig("agent-log-config:baseUrl", service.baseUrl);
  await setConfig("agent-log-config:publicKey", "publickey");
  await setConfig("agent-log-config:privateKey", "private-key-0001", { secret: true });
  await setConfig("agent-log-config:allowHttp", "true");

  await show("pulumi up", up({ signal }), summaryOf);

  say("Somebody lets the monitoring agent rotate its log at 500 MB instead of 1000 MB.");
  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { ...SETTINGS.logRotate, sizeThresholdMB: 500 } });

  await show("pulumi preview --diff", preview({ signal }), differenceOf);
  await show("pulumi up", up({ signal }), summaryOf);
  await show("pulumi preview --expect-no-changes", preview({ signal, expectNoChanges: true }), summaryOf);
  await show("pulumi destroy", destroy({ signal }), summaryOf);
}

async function show(command: string, running: Promise<Run>, select: (text: string) => readonly string[]) {
  say(styleText("bold", `$ ${command}`));
  const { ok, text } = await running;
  signal.throwIfAborted();
  if (!ok) throw new Error(`${command} failed:\n${text}`);
  for (const line of select(text)) say(coloured(line));
}

/** How many resources were created, changed and so on. */
function summaryOf(text: string): readonly string[] {
  const [, after = ""] = text.split("Resources:\n");
  const [counts = ""] = after.split("\n\n");
  return [`    ${counts.trim().replace(/\s*\n\s*/g, ", ")}`];
}

function differenceOf(text: string): readonly string[] {
  const [difference = ""] = withoutUrns(text).split("Resources:\n");
  return [...difference.trimEnd().split("\n").slice(1), ...summaryOf(text)];
}

function coloured(line: string): string {
  const [mark] = /[~+-](?= )/.exec(line.trimStart().slice(0, 2)) ?? [];
  return mark === "~" || mark === "+" || mark === "-" ? styleText(COLOURS[mark], line) : line;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
