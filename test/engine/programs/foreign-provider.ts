import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

// A provider of the same package of the engine, but not a connection of ours.
class Foreign extends pulumi.ProviderResource {
  constructor() {
    super("pulumi-nodejs", "foreign", {});
  }
}

const projectId = new pulumi.Config().require("projectId");
new AgentLogConfig("settings", { projectId, agent: "monitoring" }, { provider: new Foreign() });
