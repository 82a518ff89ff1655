/** The type under which the engine knows the resource. It stays the same for ever: every state has it. */
export const RESOURCE_TYPE = "pulumi-nodejs:dynamic/agent-log-config:AgentLogConfig";
