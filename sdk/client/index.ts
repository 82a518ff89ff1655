/**
 * The client of the service, which does not need Pulumi.
 * @packageDocumentation
 */
import "./refuse-other-runtimes.ts";

export { AgentLogConfigClient, type ReadOptions } from "./agent-log-config-client.ts";
export { type AgentKind, agentLogConfigId, parseAgentLogConfigId } from "./agent-log-config-id.ts";
export type { AgentLogConfigResult, ServiceVersion } from "./agent-log-config-result.ts";
export type { AgentLogSettings, LogRotate } from "./agent-log-settings.ts";
export type { ConnectionOptions } from "./connection-options.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, type FailureDetails } from "./errors.ts";
export type { ReadArguments } from "./read-arguments.ts";
