import path from "node:path";
import { startService } from "pulumi-agent-log-config/testing";
import { findPulumi } from "../../test/engine/find-pulumi.ts";
import { openDeployment } from "../../test/engine/open-deployment.ts";

// Shows the main job on a stand-in of the service: read, drift, update, no drift, destroy.

const PROJECT_ID = "0123456789abcdef01234567";
const SETTINGS = {
  logPath: "/var/log/agents/monitoring-agent.log",
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
};

const pulumi = findPulumi();
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
const { signal } = interrupted;

say("reason" in pulumi ? `On the stand-in engine (${pulumi.reason}).` : `On the Pulumi CLI ${pulumi.version}.`);

const service = await startService();
const deployment = await openDeployment({
  directory: path.join(import.meta.dirname, "../read-settings"),
  engine: "reason" in pulumi ? "stand-in" : "real",
});
try {
  await demonstrate();
} catch (error) {
  if (!signal.aborted) throw error;
  say("Interrupted.");
  process.exitCode = 130;
} finally {
  await deployment.close();
  await service.close();
}

async function demonstrate(): Promise<void> {
  service.set(PROJECT_ID, "monitoring", SETTINGS);
  service.set(PROJECT_ID, "backup", { ...SETTINGS, logPath: "/var/log/agents/backup-agent.log" });
  await deployment.setConfig("read-settings:projectId", PROJECT_ID);
  await deployment.setConfig("agent-log-config:baseUrl", service.baseUrl);
  await deployment.setConfig("agent-log-config:publicKey", "publickey");
  await deployment.setConfig("agent-log-config:privateKey", "private-key-0001", { secret: true });
  await deployment.setConfig("agent-log-config:allowHttp", "true");

  say("\n$ pulumi up");
  show(await deployment.up({ signal }));

  say("\nNow somebody lets the monitoring agent rotate its log at 500 MB instead of 1000 MB.");
  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { ...SETTINGS.logRotate, sizeThresholdMB: 500 } });

  say("\n$ pulumi preview --diff");
  show(await deployment.preview({ signal }), "~ sizeThresholdMB: 1000 => 500");

  say("\n$ pulumi up");
  show(await deployment.up({ signal }));

  say("\n$ pulumi preview --expect-no-changes");
  show(await deployment.preview({ signal, expectNoChanges: true }));

  say("\n$ pulumi destroy");
  show(await deployment.destroy({ signal }));
}

function show({ ok, text }: { readonly ok: boolean; readonly text: string }, expected = ""): void {
  signal.throwIfAborted();
  say(text.trimEnd());
  if (!ok || !text.includes(expected))
    throw new Error(`The demo did not show what it should: ${expected || "success"}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
