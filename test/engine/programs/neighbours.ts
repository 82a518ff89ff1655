import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// Projects of which some are ill, with the same arguments for all.
const config = new pulumi.Config();
const args = config.getObject<Partial<AgentLogConfigArgs>>("args") ?? {};
for (const [index, projectId] of config.requireObject<string[]>("projectIds").entries()) {
  new AgentLogConfig(`project-${index}`, { ...args, projectId, agent: "monitoring" });
}
