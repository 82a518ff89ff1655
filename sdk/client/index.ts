/**
 * The client of the service, which does not need Pulumi.
 * @packageDocumentation
 */
import "../refuse-other-runtimes.ts";

export type { AgentLogConfigResult, AgentLogSettings, LogRotate, ServiceVersion } from "../model/agent-log-settings.ts";
export type { ConnectionOptions } from "../model/connection-options.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, type FailureDetails } from "../model/errors.ts";
export {
  type AgentKind,
  agentLogConfigId,
  parseAgentLogConfigId,
  type ReadArguments,
} from "../model/read-arguments.ts";
export { AgentLogConfigClient, type ReadOptions } from "./agent-log-config-client.ts";
