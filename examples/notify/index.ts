import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";
import { describeChanges } from "./describe-changes.ts";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const webhook = config.requireSecret("webhook");

/** Runs before each update of a resource, also where a preview only plans it. */
const postDrift = new pulumi.ResourceHook(
  "post-drift",
  async ({ id, oldInputs, newInputs }) => {
    const changes = describeChanges(oldInputs, newInputs);
    if (changes.length === 0) return;
    const when = pulumi.runtime.isDryRun() ? "A preview found" : "An update records";
    await post(`${when} changed log settings of ${id}: ${changes.join("; ")}.`);
  },
  { onDryRun: true },
);

for (const agent of ["monitoring", "backup"] as const) {
  new AgentLogConfig(agent, { projectId, agent }, { hooks: { beforeUpdate: [postDrift] } });
}

/** A webhook that fails is a warning, because the drift itself is shown in any case. */
async function post(text: string): Promise<void> {
  const address = await new Promise<string>((resolve) => void webhook.apply(resolve));
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(10_000);
  try {
    const { ok, status } = await fetch(address, { method: "POST", headers, body: JSON.stringify({ text }), signal });
    if (!ok) await pulumi.log.warn(`The webhook responded with status ${status}.`);
  } catch {
    await pulumi.log.warn("The webhook can't be reached.");
  }
}
