import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

// What is expected is known only once another resource exists.
const config = new pulumi.Config();
const projectId = config.require("projectId");
const expected = config.getBoolean("expects") ? [new pulumi.Stash("policy", { input: "/somewhere/else.log" })] : [];

new AgentLogConfig("settings", {
  projectId,
  agent: "monitoring",
  expect: { logPath: expected[0]?.id.apply(() => "/var/log/monitoring-agent.log") },
});
