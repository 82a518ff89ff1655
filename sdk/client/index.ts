/**
 * The service's client, without Pulumi.
 * @packageDocumentation
 */
export type { Agent, AgentLogConfigResult, AgentLogSettings, LogRotate, ServiceVersion } from "./agent-log-config.ts";
export { AgentLogConfigClient, type ReadOptions } from "./agent-log-config-client.ts";
export { agentLogConfigId, parseAgentLogConfigId } from "./agent-log-config-id.ts";
export type { ConnectionOptions } from "./connection.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, ServiceError } from "./errors.ts";
export type { ReadArguments } from "./read-arguments.ts";
export type { RawAgentLogConfig } from "./read-response.ts";
