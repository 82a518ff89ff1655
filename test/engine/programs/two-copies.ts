import * as pulumi from "@pulumi/pulumi";
import { Provider } from "pulumi-agent-log-config";

// The connection is made by one copy of the package and used by another one.
const config = new pulumi.Config();
const other: typeof import("pulumi-agent-log-config") = require(config.require("otherCopy"));

const provider = new Provider("connection");
const projectId = config.require("projectId");
export const logPath = new other.AgentLogConfig("settings", { projectId, agent: "monitoring" }, { provider }).logPath;
export const read = other.getAgentLogConfigOutput({ projectId, agent: "backup" }, { provider }).logPath;
