import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_LOG_CONFIG_TYPE,
  AGENT_LOG_CONFIGS_TYPE,
  AgentLogConfig,
  AgentLogConfigs,
  type AgentLogConfigsArgs,
} from "pulumi-agent-log-config";

// A fleet and a single record, made by this package or by the plugin.
const config = new pulumi.Config();
interface Given {
  readonly projects: Readonly<Record<string, string>>;
}
const { projects, ...others } = config.requireObject<Given>("args");
const isOfPlugin = config.get("by") === "plugin";
const [plugin, pluginFleet] = ["agent-log-config:index:AgentLogConfig", "agent-log-config:index:AgentLogConfigs"];

/** What the SDK generated from the plugin's schema does. */
class Generated extends pulumi.CustomResource {
  declare readonly configs: AgentLogConfigs["configs"];

  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.CustomResourceOptions) {
    super(pluginFleet, name, { ...args, configs: undefined }, opts);
  }
}

class GeneratedRecord extends pulumi.CustomResource {}

/** In a preview what comes of a new resource is not known. */
const added = (config.getObject<readonly string[]>("created") ?? []).map((input) => {
  const { id, output } = new pulumi.Stash(`project-${input}`, { input });
  return [`created-${input}`, pulumi.all([id, output]).apply(([, projectId]) => projectId)];
});
const args = { ...others, projects: { ...projects, ...Object.fromEntries(added) } };
const { configs } = isOfPlugin
  ? new Generated("fleet", args, { aliases: [{ type: AGENT_LOG_CONFIGS_TYPE }] })
  : new AgentLogConfigs("fleet", args, { aliases: [{ type: pluginFleet }] });
const projectId = config.get("single");
if (projectId !== undefined) {
  const what = { projectId, agent: "monitoring" } as const;
  if (isOfPlugin) new GeneratedRecord(plugin, "single", what, { aliases: [{ type: AGENT_LOG_CONFIG_TYPE }] });
  else new AgentLogConfig("single", what, { aliases: [{ type: plugin }] });
}

export const paths = configs.apply((all) =>
  Object.fromEntries(Object.entries(all).map(([key, { logPath }]) => [key, logPath])),
);
