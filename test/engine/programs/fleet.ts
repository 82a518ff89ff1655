import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfigs } from "pulumi-agent-log-config";

// Many resources, one of which others wait for, and all of their projects in one call.
const config = new pulumi.Config();
const projectIds = config.requireObject<string[]>("projectIds");
const [first, ...others] = projectIds.map(
  (projectId, index) => new AgentLogConfig(`project-${index}`, { projectId, agent: "monitoring" }),
);
if (config.getBoolean("dependent") && first !== undefined) {
  new AgentLogConfig("dependent", { projectId: projectIds[1] ?? "", agent: "backup" }, { dependsOn: [first] });
  const expect = { logPath: first.logPath.apply((logPath) => logPath ?? null) };
  new AgentLogConfig("expecting", { projectId: projectIds[1] ?? "", agent: "backup", expect });
}

export const paths = pulumi.all(others.map(({ logPath }) => logPath));
export const read = getAgentLogConfigs({ projectIds, agents: ["monitoring"] }).then(({ configs, failures }) => ({
  read: configs.map(({ logPath }) => logPath),
  failed: failures.map(({ projectId, code }) => `${projectId} ${code}`),
}));
