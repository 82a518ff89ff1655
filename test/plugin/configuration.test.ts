import { beforeEach, describe, expect, it } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService, PROJECT_ID } from "../client/open-client.ts";
import { environmentOf } from "../command/run-main.ts";
import type { PropertyMap } from "../stand-in-engine/property-value.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { configurationFor, type StartOptions, startEngineLog, startForTest, URN } from "./plugin-process.ts";

const ID = `${PROJECT_ID}/monitoring`;
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const FOUND = { logPath: "/found" };

const installed = usePluginFolder();
const start = (options?: StartOptions) => startForTest(installed.module(), options);
let service: Service;

beforeEach(async () => {
  service = await openService({ settings: { [PROJECT_ID]: { monitoring: FOUND } } });
});

const configuration = (changed?: PropertyMap) => configurationFor(service, changed);

describe("the configuration", () => {
  it("is accepted with secrets, and sealed", async () => {
    const plugin = await start();
    expect(await plugin.checkConfig(configuration({ privateKey: "private-key-0001" }))).toEqual(configuration());
    expect(await plugin.checkConfig(configuration())).toEqual(configuration());
    expect((await plugin.configure(configuration())).toObject()).toMatchObject({
      acceptsecrets: true,
      supportspreview: true,
    });
  });

  it("of an explicit provider is completed by that of the stack", async () => {
    const { baseUrl, publicKey, allowHttp } = configuration();
    const stack = JSON.stringify({ baseUrl, publicKey, privateKey: "private-key-0001", allowHttp });
    const plugin = await start({ env: { PULUMI_CONFIG: stack } });
    await plugin.configure({ maxRetries: 0 }, "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west");
    expect(await plugin.check(ARGS)).toMatchObject(FOUND);
  });

  it("is that of the stack where the stack has it, whatever the name of the provider is", async () => {
    const { address, warnings } = await startEngineLog();
    const key = { publicKey: "publickey", privateKey: "private-key-0001" };
    const stack = { ...key, baseUrl: "ftp://example.com", baseURL: "x" };
    const plugin = await start({ env: { PULUMI_CONFIG: JSON.stringify(stack) }, engine: address });
    for (const name of ["default", "default_0_1_0", "west"]) {
      const urn = `urn:pulumi:dev::p::pulumi:providers:agent-log-config::${name}`;
      await plugin.checkConfig({});
      await plugin.configure(stack, urn);
      await expect(plugin.call("Read", { urn: URN, id: ID })).rejects.toThrow(
        "baseUrl (the configuration key agent-log-config:baseUrl)",
      );
      await plugin.checkConfig({});
      await plugin.configure({ baseUrl: "ftp://west.example.com" }, urn);
      await expect(plugin.call("Read", { urn: URN, id: ID })).rejects.toThrow(
        `baseUrl (the argument baseUrl of the Provider '${name}')`,
      );
    }
    // An explicit provider does not warn of what the stack alone has.
    await plugin.checkConfig({ baseUrl: "https://west.example.com", version: "0.1.0" });
    expect(warnings).toEqual([]);
    await plugin.checkConfig({ ...stack, version: "0.1.0" });
    expect(warnings).toMatchObject([
      { message: expect.stringContaining("unknown settings: agent-log-config:baseURL;") },
    ]);
  });

  it.each([
    ["a map", { nested: "x" }],
    ["a map as JSON", JSON.stringify({ nested: "x" })],
  ])("is refused where a setting of the stack is %s", async (_, publicKey) => {
    const stack = {
      ...environmentOf(service),
      AGENT_LOG_CONFIG_PUBLIC_KEY: "",
      PULUMI_CONFIG: JSON.stringify({ publicKey }),
    };
    const plugin = await start({ env: stack });
    await plugin.checkConfig({});
    await plugin.configure({ publicKey: JSON.stringify({ nested: "x" }) });
    await expect(plugin.call("Read", { urn: URN, id: ID })).rejects.toThrow(
      "publicKey (the configuration key agent-log-config:publicKey) is a map or a list; set it to one value.",
    );
    expect(service.requests).toEqual([]);
  });

  it("comes from the environment where the stack has none, and does not reach the state", async () => {
    const plugin = await start({ env: environmentOf(service) });
    expect(await plugin.checkConfig({ version: "0.1.0" })).toEqual({ version: "0.1.0" });
    await plugin.configure({ version: "0.1.0" });
    expect(await plugin.check(ARGS)).toMatchObject(FOUND);
  });
});
