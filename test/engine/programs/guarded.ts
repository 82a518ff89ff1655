import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfigOutput, Provider } from "pulumi-agent-log-config";

// A resource and a function, with a Provider that maps a variable of the environment or with none.
const config = new pulumi.Config();
const args = { projectId: config.require("projectId"), agent: "monitoring" } as const;
const envVarMappings = { WEST_URL: "AGENT_LOG_CONFIG_BASE_URL" };
const options = config.getBoolean("isExplicit") ? { provider: new Provider("west", {}, { envVarMappings }) } : {};

export const recorded = new AgentLogConfig("settings", args, options).logPath;
export const read = getAgentLogConfigOutput(args, options).logPath;
