/**
 * The log settings of a project's monitoring and backup agents in a Pulumi program: a resource that records them, and
 * functions that read them.
 * @packageDocumentation
 */
import "./model/refuse-other-runtimes.ts";

export type { GetAgentLogConfigsArgs, ReadFailure, ReadManyResult } from "./connection/read-many.ts";
export { AGENT_LOG_CONFIG_TYPE } from "./engine/resource-type.ts";
export type { AgentKind } from "./model/agent-log-config-id.ts";
export type { AgentLogConfigResult, ServiceVersion } from "./model/agent-log-config-result.ts";
export type { AgentLogSettings, LogRotate } from "./model/agent-log-settings.ts";
export type { ConnectionOptions } from "./model/connection-options.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, type FailureDetails } from "./model/errors.ts";
export type { ReadArguments } from "./model/read-arguments.ts";
export { AgentLogConfig, type AgentLogConfigArgs } from "./program/agent-log-config.ts";
export { AgentLogConfigs, type AgentLogConfigsArgs, type FleetSettings } from "./program/agent-log-configs.ts";
export type {
  ExpectedLogRotate,
  ExpectedPath,
  ExpectedRange,
  ExpectedSettings,
} from "./program/expected-settings.ts";
export {
  type GetAgentLogConfigArgs,
  type GetAgentLogConfigOutputArgs,
  type GetAgentLogConfigResult,
  getAgentLogConfig,
  getAgentLogConfigOutput,
} from "./program/get-agent-log-config.ts";
export {
  type GetAgentLogConfigsOutputArgs,
  type GetAgentLogConfigsResult,
  getAgentLogConfigs,
  getAgentLogConfigsOutput,
} from "./program/get-agent-log-configs.ts";
export { Provider, type ProviderArgs } from "./program/provider.ts";
