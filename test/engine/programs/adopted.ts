import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

const settings = AgentLogConfig.get("settings", new pulumi.Config().require("id"));

export const logPath = settings.logPath;
export const configOverrides = settings.configOverrides;
