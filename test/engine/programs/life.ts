import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs, AgentLogConfigs } from "pulumi-agent-log-config";

// Three resources, one in a component that waits for something else, and one in a component that waits for the first; and a
// fleet of one project.
interface Asked {
  args: AgentLogConfigArgs;
  options: pulumi.CustomResourceOptions;
}
const asked = new pulumi.Config().requireObject<Record<"plain" | "grouped" | "after" | "fleet", Asked>>("resources");

class Group extends pulumi.ComponentResource {
  constructor(name: string, dependsOn: pulumi.Resource) {
    super("test:index:Group", name, {}, { dependsOn });
  }
}

const other = new pulumi.Stash("other", { input: "exists" });
const plain = new AgentLogConfig("plain", asked.plain.args, asked.plain.options);
new AgentLogConfig("grouped", asked.grouped.args, { ...asked.grouped.options, parent: new Group("group", other) });
new AgentLogConfig("after", asked.after.args, { ...asked.after.options, parent: new Group("later", plain) });

const { projectId, agent, ...judged } = asked.fleet.args;
const ignoring: pulumi.ResourceTransformation = ({ type, props, opts }) =>
  type.endsWith(":AgentLogConfig") ? { props, opts: { ...opts, ...asked.fleet.options } } : undefined;
new AgentLogConfigs("fleet", { projectIds: [projectId], agents: [agent], ...judged }, { transformations: [ignoring] });
