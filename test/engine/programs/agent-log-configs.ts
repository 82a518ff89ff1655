import * as pulumi from "@pulumi/pulumi";
import {
  AGENT_LOG_CONFIG_TYPE,
  AgentLogConfig,
  AgentLogConfigs,
  type AgentLogConfigsArgs,
  Provider,
  type ProviderArgs,
} from "pulumi-agent-log-config";

// A fleet and a single record, made by this package or by the plugin, and a resource that depends on the fleet.
const config = new pulumi.Config();
const {
  projectIds = [],
  projects,
  ...others
} = config.requireObject<{
  readonly projectIds?: readonly string[];
  readonly projects?: Readonly<Record<string, string>>;
}>("args");
const isOfPlugin = config.get("by") === "plugin";

/** What the SDK generated from the plugin's schema does. */
class Generated extends pulumi.ComponentResource {
  declare readonly configs: AgentLogConfigs["configs"];

  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions) {
    super("agent-log-config:index:AgentLogConfigs", name, { ...args, configs: undefined }, opts, true);
  }
}

class GeneratedRecord extends pulumi.CustomResource {}

class GeneratedProvider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs) {
    super("agent-log-config", name, { ...args, allowHttp: String(args.allowHttp) });
  }
}

const created = config.getObject<readonly string[]>("created") ?? [];
/** In a preview what comes of a new resource is not known. */
const added = created.map((input) => {
  const { id, output } = new pulumi.Stash(`project-${input}`, { input });
  return pulumi.all([id, output]).apply(([, projectId]) => projectId);
});
const secrets = config.getObject<readonly string[]>("secrets") ?? [];
const listed = { projectIds: [...projectIds, ...added, ...secrets.map(pulumi.secret)] };
const named = () => {
  const all = [...Object.entries(projects ?? {}), ...added.map((id, index) => [`created-${index}`, id])];
  return { projects: Object.fromEntries(all) };
};
const args = { ...(projects === undefined ? listed : named()), ...others };
const west = config.getObject<ProviderArgs>("west");
const provider = west === undefined ? [] : [new (isOfPlugin ? GeneratedProvider : Provider)("west", west)];
/** A hook of the children, which the options of a component do not have. */
const hook = new pulumi.ResourceHook("say", ({ id }) => pulumi.log.warn(`A hook runs for ${id}.`), { onDryRun: true });
const transforms: pulumi.ResourceTransform[] = [
  ({ custom, props, opts }) => (custom ? { props, opts: { ...opts, hooks: { beforeUpdate: [hook] } } } : undefined),
];
const opts = {
  protect: config.getBoolean("protect") ?? false,
  providers: provider,
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
for (const key of config.getObject<readonly string[]>("used") ?? []) {
  new pulumi.Stash(`uses-${key}`, { input: fleet.configs[key]?.logPath ?? "" });
}

export const paths = fleet.configs.apply((configs) =>
  Object.fromEntries(Object.entries(configs).map(([key, { logPath }]) => [key, logPath])),
);
