import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

const projectId = new pulumi.Config().require("projectId");
const monitoring = new AgentLogConfig("monitoring", { projectId, agent: "monitoring" });

export const logPath = monitoring.logPath;
export const configOverrides = monitoring.configOverrides; // a secret
