/**
 * What the engine keeps as the code of every AgentLogConfig and runs in its provider host. It never changes, because one
 * changed character would show as a change of every resource. All behaviour is in the installed package; deleting needs
 * not even that.
 */
export const PROVIDER_TEXT = `exports.handler = () => {
  let configuration;
  const load = () => {
    try {
      return require("pulumi-agent-log-config/dynamic-provider");
    } catch (error) {
      const message = "The package pulumi-agent-log-config can't be loaded from the folder of the program (" + (error.code || error.message) + "); run npm install pulumi-agent-log-config there, with Node.js 22.19 or later.";
      throw Object.assign(new Error(message), { stack: "", toString: () => message });
    }
  };
  const call = (method) => async (...args) => load()[method](configuration, ...args);
  return {
    configure: async (request) => { configuration = request.config; },
    check: call("check"),
    diff: call("diff"),
    create: call("create"),
    update: call("update"),
    read: call("read"),
    delete: async () => {},
  };
};
`;
