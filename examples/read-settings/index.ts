import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfigOutput } from "pulumi-agent-log-config";

const projectId = new pulumi.Config().require("projectId");

// Recorded in the state: the next preview shows what somebody has changed in the service.
const monitoring = new AgentLogConfig("monitoring", { projectId, agent: "monitoring" });

// Read in every run; the state holds it only where resources or stack outputs use it.
const backup = getAgentLogConfigOutput({ projectId, agent: "backup" });

// Any other resource takes the settings as inputs.
new pulumi.Stash("shipped-logs", {
  input: { monitoring: monitoring.logPath, backup: backup.logPath },
});

export const monitoringLog = monitoring.logPath;
export const monitoringRotatesAtMB = monitoring.logRotate.sizeThresholdMB;
export const backupSettings = backup;
