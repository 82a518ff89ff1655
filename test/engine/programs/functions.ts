import * as pulumi from "@pulumi/pulumi";
import { getAgentLogConfig, getAgentLogConfigOutput } from "pulumi-agent-log-config";

const projectId = new pulumi.Config().require("projectId");

export const awaited = getAgentLogConfig({ projectId, agent: "monitoring" });
export const output = getAgentLogConfigOutput({ projectId: pulumi.output(projectId), agent: "backup" });
new pulumi.Stash("consumer", { input: output.logPath });
