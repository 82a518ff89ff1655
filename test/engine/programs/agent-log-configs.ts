import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_LOG_CONFIG_TYPE,
  AgentLogConfig,
  AgentLogConfigs,
  type AgentLogConfigsArgs,
  Provider,
} from "pulumi-agent-log-config";

// A fleet and a single record, made by this package or by the plugin, and a resource that depends on the fleet.
const config = new pulumi.Config();
interface Given {
  readonly projects: Readonly<Record<string, string>>;
}
const { projects, ...others } = config.requireObject<Given>("args");
const isOfPlugin = config.get("by") === "plugin";

/** What the SDK generated from the plugin's schema does. */
class Generated extends pulumi.ComponentResource {
  declare readonly configs: AgentLogConfigs["configs"];

  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions) {
    super("agent-log-config:index:AgentLogConfigs", name, { ...args, configs: undefined }, opts, true);
  }
}

class GeneratedRecord extends pulumi.CustomResource {}

const created = config.getObject<readonly string[]>("created") ?? [];
/** In a preview what comes of a new resource is not known. */
const added = created.map((input, index) => {
  const { id, output } = new pulumi.Stash(`project-${input}`, { input });
  return [`created-${index}`, pulumi.all([id, output]).apply(([, projectId]) => projectId)];
});
const args = { ...others, projects: { ...projects, ...Object.fromEntries(added) } };
/** A hook of the children, which the options of a component do not have. */
const hook = new pulumi.ResourceHook("say", ({ id }) => pulumi.log.warn(`A hook runs for ${id}.`), { onDryRun: true });
const transforms: pulumi.ResourceTransform[] = [
  ({ custom, props, opts }) => (custom ? { props, opts: { ...opts, hooks: { beforeUpdate: [hook] } } } : undefined),
];
/** The connection of the stack, of which in a preview a new resource has not made the address yet. */
const late = config.getBoolean("late");
const baseUrl = new pulumi.Config("agent-log-config").require("baseUrl");
const madeUrl = late ? new pulumi.Stash("address", { input: baseUrl }).id.apply(() => baseUrl) : baseUrl;
const opts = {
  ...(late !== undefined && { provider: new Provider("west", { baseUrl: madeUrl }) }),
  protect: config.getBoolean("protect") ?? false,
  ignoreChanges: config.getObject<string[]>("ignoreChanges") ?? [],
  transforms: config.getBoolean("hooked") ? transforms : [],
};
const Fleet = isOfPlugin ? Generated : AgentLogConfigs;
const fleet = new Fleet("fleet", args, opts);
const projectId = config.get("single");
if (projectId !== undefined) {
  const type = "agent-log-config:index:AgentLogConfig";
  const what = { projectId, agent: "monitoring" } as const;
  if (!isOfPlugin) new AgentLogConfig("single", what, { aliases: [{ type }] });
  else new GeneratedRecord(type, "single", what, { aliases: [{ type: AGENT_LOG_CONFIG_TYPE }] });
}
if (config.getBoolean("consumed")) new pulumi.Stash("consumer", { input: 1 }, { dependsOn: fleet });

export const paths = fleet.configs.apply((configs) =>
  Object.fromEntries(Object.entries(configs).map(([key, { logPath }]) => [key, logPath])),
);
if (late !== undefined) new pulumi.Stash("list", { input: paths });
