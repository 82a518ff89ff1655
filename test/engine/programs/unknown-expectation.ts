import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

// What is expected is known only once another resource exists.
const config = new pulumi.Config();
const projectId = config.require("projectId");
const policy = config.getBoolean("expects") ? new pulumi.Stash("policy", { input: "/somewhere/else.log" }) : undefined;
const logPath = policy?.id.apply(() => "/var/log/monitoring-agent.log");

new AgentLogConfig("settings", { projectId, agent: "monitoring", expect: policy && { logPath } });
