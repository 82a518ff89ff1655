import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { PROVIDER_TEXT } from "../../sdk/shared/provider-text.ts";

it("has one provider text for ever, since every state holds it", () => {
  expect(PROVIDER_TEXT).toBe(
    [
      "exports.handler = () => {",
      "  let configuration;",
      '  const call = (method) => async (...args) => require("pulumi-agent-log-config/dynamic-provider")[method](configuration, ...args);',
      "  return {",
      "    configure: async (request) => { configuration = request.config; },",
      '    check: call("check"),',
      '    diff: call("diff"),',
      '    create: call("create"),',
      '    update: call("update"),',
      '    read: call("read"),',
      "    delete: async () => {},",
      "  };",
      "};",
      "",
    ].join("\n"),
  );
  expect(Buffer.byteLength(PROVIDER_TEXT)).toBeLessThanOrEqual(600);
});

it("deletes without the package, and needs it for everything else", async () => {
  const exports: { handler?: () => Record<string, () => Promise<unknown>> } = {};
  const require = (name: string) => {
    throw new Error(`Cannot find module '${name}'`);
  };
  runInNewContext(PROVIDER_TEXT, { exports, require });
  const provider = exports.handler?.();
  await expect(provider?.["delete"]?.()).resolves.toBeUndefined();
  await expect(provider?.["check"]?.()).rejects.toThrow("pulumi-agent-log-config/dynamic-provider");
});
