import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// As process.loadEnvFile() does: the program alone knows the address that it assigns.
const config = new pulumi.Config();
process.env["AGENT_LOG_CONFIG_BASE_URL"] = config.require("address");
export const { logPath } = new AgentLogConfig("settings", config.requireObject<AgentLogConfigArgs>("args"));
