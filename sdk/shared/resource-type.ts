/**
 * The type of {@link AgentLogConfig} in the state, for policies and transforms. Pulumi shows it as
 * `pulumi-nodejs:dynamic:AgentLogConfig`.
 */
export const AGENT_LOG_CONFIG_TYPE = "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig";
