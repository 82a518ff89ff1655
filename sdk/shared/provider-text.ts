/**
 * What the engine keeps as the code of every AgentLogConfig and runs in its provider host. It never changes, because one
 * changed character would show as a change of every resource. All behaviour is in the installed package; deleting needs
 * not even that. What it calls returns promises, so that only a failed `require` is caught. The host prints an error as
 * `${error}: ${error.stack}` before the engine prints its message.
 */
export const PROVIDER_TEXT = `exports.handler = () => {
let config;
const p = { configure: async (r) => { config = r.config; }, delete: async () => {} };
for (const f of ["check", "diff", "create", "update", "read"]) p[f] = async (...a) => {
try {
return require("pulumi-agent-log-config/dynamic-provider")[f](config, ...a);
} catch (e) {
const m = "The package pulumi-agent-log-config can't be loaded from the folder of the program (" + (e.code || e.message) + "); run npm install pulumi-agent-log-config there, with Node.js 22.19 or later. See https://www.npmjs.com/package/pulumi-agent-log-config#err_not_loaded.";
throw Object.assign(Error(m), { stack: "can't be loaded from the folder of the program", toString: () => "pulumi-agent-log-config" });
}
};
return p;
};
`;
