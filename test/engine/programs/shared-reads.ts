import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfig, getAgentLogConfigOutput } from "pulumi-agent-log-config";

const what = { projectId: new pulumi.Config().require("projectId"), agent: "monitoring" } as const;
const recorded = new AgentLogConfig("recorded", what);

export const recordedPath = recorded.logPath;
export const awaited = getAgentLogConfig(what);
export const output = getAgentLogConfigOutput({ ...what, agent: "backup" });
export const path = getAgentLogConfigOutput(what).logPath;
export const oneAfterAnother = getAgentLogConfig(what).then(() => getAgentLogConfig(what));
export const afterwards = getAgentLogConfigOutput(what, { dependsOn: recorded }).logPath;
