/**
 * The type of {@link AgentLogConfig} in the state, for policies and transforms. Pulumi shows it as
 * `pulumi-nodejs:dynamic:AgentLogConfig`.
 */
export const AGENT_LOG_CONFIG_TYPE = "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig";

/** The type of an AgentLogConfig that the plugin manages. A Provider of a program is found by its package, too. */
export const PLUGIN_TYPE = "agent-log-config:index:AgentLogConfig";

/** The functions of the plugin. In a unit test Pulumi's mocks are called by these names, from TypeScript too. */
export const FUNCTIONS = {
  getAgentLogConfig: "agent-log-config:index:getAgentLogConfig",
  getAgentLogConfigs: "agent-log-config:index:getAgentLogConfigs",
} as const;

/** The type of AgentLogConfigs in the state. */
export const FLEET_TYPE = "agent-log-config:index:AgentLogConfigs";
