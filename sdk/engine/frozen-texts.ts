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

/**
 * The type of {@link AgentLogConfigs} in the state, for policies and transforms. Pulumi shows it as
 * `pulumi-nodejs:dynamic:AgentLogConfigs`.
 */
export const AGENT_LOG_CONFIGS_TYPE = "pulumi-nodejs:dynamic/agentLogConfigs:AgentLogConfigs";

/** The type of AgentLogConfigs that the plugin manages. */
export const PLUGIN_FLEET_TYPE = "agent-log-config:index:AgentLogConfigs";

/** The id of every fleet, which stays the same if its members change. */
export const FLEET_ID = "fleet";

/** The output of a fleet that has the settings of its members, without those that are secrets. */
export const CONFIGS = "configs";

/**
 * What the engine keeps as the code of every AgentLogConfig and runs in its provider host. It never changes, because one changed
 * character would show as a change of every resource. All behaviour is in the installed package, which a deletion does not need.
 * The functions that it calls return promises, so it catches only a failed `require`. The host prints an error as `${error}:
 * ${error.stack}` before the engine prints its message.
 */
export const PROVIDER_TEXT = `exports.handler = () => {
let config;
const name = "pulumi-agent-log-config";
const p = { configure: async (r) => { config = r.config; }, delete: async () => {} };
for (const f of ["check", "diff", "create", "update", "read"]) p[f] = async (...a) => {
try {
return require(name + "/dynamic-provider")[f](config, ...a);
} catch (e) {
const stack = "can't be loaded from the folder of the program";
throw Object.assign(Error(\`\${name} \${stack} (\${e.code || e.message}); run npm install there, with Node.js 22.19 or later.\`), { stack, toString: () => name });
}
};
return p;
};
`;
