import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// One resource, with whatever arguments and options a test configures.
const config = new pulumi.Config();
const settings = new AgentLogConfig(
  config.get("name") ?? "settings",
  config.requireObject<AgentLogConfigArgs>("args"),
  config.getObject<pulumi.CustomResourceOptions>("options"),
);
new pulumi.Stash("consumer", { input: settings.logPath });

export const logPath = settings.logPath;
export const configOverrides = settings.configOverrides;
// At run time what the service does not have is undefined, not null.
export const usernameType = settings.username.apply((username) => typeof username);
