import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// One resource, with whatever arguments and options a test configures, or with one that could make its record untrue.
const config = new pulumi.Config();
const args = config.requireObject<AgentLogConfigArgs>("args");
const other = config.getObject<AgentLogConfigArgs>("other");
const variants: Readonly<Record<string, pulumi.CustomResourceOptions>> = {
  "a transformation": { transformations: [({ props, opts }) => ({ props: { ...props, ...other }, opts })] },
  "an asynchronous transform": { transforms: [async ({ props, opts }) => ({ props: { ...props, ...other }, opts })] },
};
const variant = config.get("variant") ?? "";
// As process.loadEnvFile() does: the program alone knows the address that it assigns.
const address = config.get("address");
if (address !== undefined) process.env["AGENT_LOG_CONFIG_BASE_URL"] = address;

const settings =
  variant === "adopted"
    ? AgentLogConfig.get("settings", `${args.projectId}/${args.agent}`)
    : new AgentLogConfig(
        config.get("name") ?? "settings",
        args,
        variants[variant] ?? config.getObject<pulumi.CustomResourceOptions>("options"),
      );
new pulumi.Stash("consumer", { input: settings.logPath });

export const logPath = settings.logPath;
export const configOverrides = settings.configOverrides;
// At run time what the service does not have is undefined, not null.
export const usernameType = settings.username.apply((username) => typeof username);
