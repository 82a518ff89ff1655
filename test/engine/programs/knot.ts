import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, Provider } from "pulumi-agent-log-config";

// Two resources that fail, of which the one that fails first has a provider that waits for the other one.
const agent = "monitoring";
const later = new Promise<string>((resolve) => setTimeout(resolve, 500, "f".repeat(24)));
const waitedFor = new AgentLogConfig("waited-for", { projectId: later, agent });

class Group extends pulumi.ComponentResource {
  constructor() {
    super("test:index:Group", "group", {}, { dependsOn: waitedFor });
  }
}

const provider = new Provider("west", {}, { parent: new Group() });
new AgentLogConfig("waits", { projectId: "e".repeat(24), agent }, { provider });
