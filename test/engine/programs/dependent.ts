import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfigOutput } from "pulumi-agent-log-config";

// Something that must exist first, and whose id the program does not know before it does.
const projectId = new pulumi.Config().require("projectId");
const project = new pulumi.Stash("project", { input: projectId });

const byId = new AgentLogConfig("by-id", { projectId: project.id.apply(() => projectId), agent: "monitoring" });
const after = new AgentLogConfig("after", { projectId, agent: "monitoring" }, { dependsOn: [project] });
const output = getAgentLogConfigOutput({ projectId, agent: "backup" }, { dependsOn: project });

export const byIdPath = byId.logPath;
export const afterPath = after.logPath;
export const outputPath = output.logPath;
