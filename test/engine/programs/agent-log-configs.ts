import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigs, type AgentLogConfigsArgs, type AgentLogConfigs as Component } from "pulumi-agent-log-config";

// A fleet, made by this package or by the plugin, and a resource that takes what it returns.
const config = new pulumi.Config();
const { projectIds, ...others } = config.requireObject<{ readonly projectIds: readonly string[] }>("args");

/** What the SDK generated from the plugin's schema does. */
class Generated extends pulumi.ComponentResource {
  declare readonly configs: Component["configs"];

  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("agent-log-config:index:AgentLogConfigs", name, { ...args, configs: undefined }, opts, true);
  }
}

/** The id of a project that this program creates. */
const created = config.getObject<readonly string[]>("created") ?? [];
const added = created.map((input) => new pulumi.Stash(`project-${input}`, { input }).output);
const secrets = config.getObject<readonly string[]>("secrets") ?? [];
const Fleet = config.get("by") === "plugin" ? Generated : AgentLogConfigs;
const args = { projectIds: [...projectIds, ...added, ...secrets.map(pulumi.secret)], ...others };
const fleet = new Fleet("fleet", args, { protect: config.getBoolean("protect") ?? false });
if (config.getBoolean("consumed")) new pulumi.Stash("consumer", { input: fleet.configs });

export const paths = fleet.configs.apply((configs) => configs.map(({ logPath }) => logPath));
