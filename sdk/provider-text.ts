/**
 * What the engine keeps as the code of every AgentLogConfig and runs in its provider host. It stays the same for ever: a
 * change of one character would show as a change of every resource. All behaviour is in the installed package, and
 * deleting needs not even that.
 */
export const PROVIDER_TEXT = `exports.handler = () => {
  let configuration;
  const call = (method) => async (...args) => require("pulumi-agent-log-config/dynamic-provider")[method](configuration, ...args);
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
