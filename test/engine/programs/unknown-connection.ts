import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, AgentLogConfigs, getAgentLogConfigOutput, Provider } from "pulumi-agent-log-config";

// A setting of the connection comes from a resource that is still to be created, and so does a component's child.
const projectId = new pulumi.Config().require("projectId");
const key = new pulumi.Stash("key", { input: "publickey" });
const provider = new Provider("connection", { publicKey: key.id.apply(() => "publickey") });

class Group extends pulumi.ComponentResource {
  constructor(name: string) {
    super("test:index:Group", name);
    new pulumi.Stash(`${name}-child`, { input: "x" }, { parent: this });
    this.registerOutputs({});
  }
}
const group = new Group("group");

export const connected = new AgentLogConfig("connected", { projectId, agent: "monitoring" }, { provider }).logPath;
const fleet = new AgentLogConfigs("fleet", { projects: { orders: projectId } }, { provider });
export const member = fleet.configs["orders/monitoring"]?.logPath;
export const read = getAgentLogConfigOutput({ projectId, agent: "monitoring" }, { provider }).logPath;
export const grouped = new AgentLogConfig("grouped", { projectId, agent: "backup" }, { dependsOn: group }).logPath;
export const readAfter = getAgentLogConfigOutput({ projectId, agent: "backup" }, { dependsOn: [group] }).logPath;
