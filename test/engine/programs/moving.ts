import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfig } from "pulumi-agent-log-config";

const args = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
const PLUGIN_TYPE = "agent-log-config:index:AgentLogConfig";

/** What the SDK generated from the plugin's schema does. */
class Generated extends pulumi.CustomResource {
  declare readonly logPath: pulumi.Output<string>;
}

const monitoring =
  new pulumi.Config().get("by") === "plugin"
    ? new Generated(
        PLUGIN_TYPE,
        "monitoring",
        { ...args, logPath: undefined },
        { aliases: [{ type: AGENT_LOG_CONFIG_TYPE }] },
      )
    : new AgentLogConfig("monitoring", args, { aliases: [{ type: PLUGIN_TYPE }] });

export const logPath = monitoring.logPath;
