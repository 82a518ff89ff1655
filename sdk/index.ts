/**
 * The log settings of a project's monitoring and backup agents in a Pulumi program: a resource that records them and two
 * functions that read them.
 * @packageDocumentation
 */
export { AgentLogConfig, type AgentLogConfigArgs } from "./agent-log-config.ts";
export type { Agent, LogRotate, ServiceVersion } from "./client/agent-log-config.ts";
export { AgentLogConfigError, type AgentLogConfigErrorCode, ServiceError } from "./client/errors.ts";
export { DoorError } from "./door-error.ts";
export type { ExpectedSettings } from "./expected-settings.ts";
export {
  type GetAgentLogConfigArgs,
  type GetAgentLogConfigOutputArgs,
  type GetAgentLogConfigResult,
  getAgentLogConfig,
  getAgentLogConfigOutput,
} from "./get-agent-log-config.ts";
export { Provider, type ProviderArgs } from "./provider.ts";
