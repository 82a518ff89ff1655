import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

function runOn(versions: { readonly node: string; readonly bun?: string }): void {
  vi.stubGlobal("process", Object.create(process, { versions: { value: versions } }));
  vi.resetModules();
}

const CLIENT = "../../sdk/client/index.ts";
const ENTRIES = [CLIENT, "../../sdk/index.ts", "../../sdk/testing/index.ts", "../../sdk/reading/open-client.ts"];
const PACKAGES = ["undici", "zod", "@pulumi/pulumi"];

it.each([
  { versions: { node: "18.20.0" }, runtime: "Node.js 18.20.0" },
  { versions: { node: "20.20.2" }, runtime: "Node.js 20.20.2" },
  { versions: { node: "21.30.0" }, runtime: "Node.js 21.30.0" },
  { versions: { node: "22.18.9" }, runtime: "Node.js 22.18.9" },
  { versions: { node: "24.3.0", bun: "1.3.0" }, runtime: "Bun 1.3.0" },
])("refuses $runtime in one sentence before any other package is loaded", async ({ versions, runtime }) => {
  runOn(versions);
  for (const name of PACKAGES) {
    vi.doMock(name, () => {
      throw new Error(`${name} is loaded.`);
    });
  }
  for (const file of ENTRIES) {
    await expect(import(file)).rejects.toMatchObject({
      code: "ERR_RUNTIME",
      message: expect.stringMatching(
        `^pulumi-agent-log-config needs Node\\.js 22\\.19 or later, but this is ${runtime}; put a later Node.js first on the PATH\\.`,
      ),
    });
  }
  for (const name of PACKAGES) vi.doUnmock(name);
});

it.each(["22.19.0", "22.20.0", "23.0.0", "24.0.0"])("takes Node.js %s", async (node) => {
  runOn({ node });
  expect(await import(CLIENT)).toHaveProperty("AgentLogConfigClient");
});
