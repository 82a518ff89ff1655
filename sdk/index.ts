/**
 * The log settings of a project's monitoring and backup agents in a Pulumi program: a resource that records them, and
 * functions that read them.
 * @packageDocumentation
 */
import "./refuse-other-runtimes.ts";

export { AGENT_LOG_CONFIG_TYPE, AGENT_LOG_CONFIGS_TYPE } from "./engine/frozen-texts.ts";
export type { AgentLogConfigResult, AgentLogSettings, LogRotate, ServiceVersion } from "./model/agent-log-settings.ts";
export type { ConnectionOptions } from "./model/connection-options.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, type FailureDetails } from "./model/errors.ts";
export type { AgentKind, ReadArguments } from "./model/read-arguments.ts";
export {
  AgentLogConfig,
  type AgentLogConfigArgs,
  type ExpectedLogRotate,
  type ExpectedPath,
  type ExpectedRange,
  type ExpectedSettings,
} from "./program/agent-log-config.ts";
export { AgentLogConfigs, type AgentLogConfigsArgs, type FleetSettings } from "./program/agent-log-configs.ts";
export {
  type GetAgentLogConfigArgs,
  type GetAgentLogConfigOutputArgs,
  type GetAgentLogConfigResult,
  type GetAgentLogConfigsOutputArgs,
  type GetAgentLogConfigsResult,
  getAgentLogConfig,
  getAgentLogConfigOutput,
  getAgentLogConfigs,
  getAgentLogConfigsOutput,
} from "./program/functions.ts";
export { Provider, type ProviderArgs } from "./program/provider.ts";
export type { GetAgentLogConfigsArgs, ReadFailure, ReadManyResult } from "./reading/read-many.ts";
