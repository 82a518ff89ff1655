import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { fingerprintsOf } from "../../sdk/shared/reading.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { bundlePlugin } from "../../tools/archive/bundle.ts";
import { type PropertyMap, type PropertyValue, secret, unknownValue } from "../stand-in-engine/property-value.ts";
import { type PluginProcess, type StartOptions, startEngineLog, startPlugin, URN } from "./plugin-process.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const ID = `${PROJECT_ID}/monitoring`;
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const SETTINGS = {
  logPath: "/var/log/monitoring-agent.log",
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
  configOverrides: { mmsApiKey: "body-api-key-0001" },
};
const RECORDED = {
  ...ARGS,
  logPath: SETTINGS.logPath,
  logPathWindows: null,
  logRotate: SETTINGS.logRotate,
  username: null,
  configOverrides: secret(SETTINGS.configOverrides),
};
/** As inputs they have a fingerprint of the service, too. */
const INPUTS = { ...RECORDED, __service: expect.any(String) };

let folder: string;
let shared: PluginProcess;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plugin-"));
  await bundlePlugin(path.join(folder, "plugin.cjs"));
  shared = await start();
});

afterAll(async () => {
  await shared.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  service = await startService({
    settings: { [PROJECT_ID]: { monitoring: SETTINGS, backup: { logPath: "/backup" } } },
  });
  onTestFinished(() => service.close());
});

function start(options: StartOptions = {}): Promise<PluginProcess> {
  return startPlugin(path.join(folder, "plugin.cjs"), options);
}

/** Starts a plugin that ends with the test. */
async function startForTest(options: StartOptions = {}): Promise<PluginProcess> {
  const plugin = await start(options);
  onTestFinished(() => plugin.stop());
  return plugin;
}

const configuration = (changed: PropertyMap = {}): PropertyMap => ({
  baseUrl: service.baseUrl,
  publicKey: "publickey",
  privateKey: secret("private-key-0001"),
  allowHttp: "true",
  maxRetries: 0,
  ...changed,
});

/** The plugin that all tests share, with the configuration and the engine of this one. */
async function configured(changed: PropertyMap = {}, engine = "127.0.0.1:1"): Promise<PluginProcess> {
  await shared.attach(engine);
  await shared.configure(configuration(changed));
  return shared;
}

describe("the process", () => {
  it("prints its port and nothing else, and says its version and schema", async () => {
    const version = await shared.version();
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(JSON.parse(await shared.schema())).toMatchObject({ name: "agent-log-config", version });
    expect(shared.printed()).toBe(`${shared.port}\n`);
  });

  it("ends with its standard input, also in the middle of a read", async () => {
    service.failNext({ delaySeconds: 60 });
    const plugin = await startForTest();
    await plugin.configure(configuration());
    const read = plugin.check(ARGS).catch((error: Error) => error.message);
    await vi.waitFor(() => expect(service.requests).toHaveLength(2));
    expect(await plugin.endInput()).toBe(0);
    expect(await read).toBeTypeOf("string");
  });

  it("lets no read wait for another one, and ends all at once where the engine cancels", async () => {
    const plugin = await configured();
    await plugin.check(ARGS);
    service.failNext({ delaySeconds: 60 });
    const slow = plugin.check(ARGS).catch((error: Error) => error.message);
    await vi.waitFor(() => expect(service.requests).toHaveLength(3));
    expect((await plugin.check({ ...ARGS, agent: "backup" })).inputs).toMatchObject({ logPath: "/backup" });
    await plugin.cancel();
    expect(await slow).toBe("The read was given up, because the run has ended.");
    expect((await plugin.check(ARGS)).inputs).toEqual(INPUTS);
  });
});

describe("the configuration", () => {
  it("is accepted with secrets, and sealed", async () => {
    expect(await shared.checkConfig(configuration({ privateKey: "private-key-0001" }))).toEqual(configuration());
    expect(await shared.checkConfig(configuration())).toEqual(configuration());
    expect(await shared.configure(configuration())).toEqual({ acceptSecrets: true, supportsPreview: true });
  });

  it("is compared without ever replacing the provider", async () => {
    const rotated = configuration({ privateKey: secret("private-key-0002") });
    expect(await shared.diffConfig(configuration(), configuration())).toEqual({ changes: "none", replaces: [] });
    expect(await shared.diffConfig(configuration(), rotated)).toEqual({ changes: "some", replaces: [] });
  });

  it("of an explicit provider is completed by that of the stack, and a message names the place that is wrong", async () => {
    const { baseUrl, publicKey, allowHttp } = configuration();
    const stack = JSON.stringify({ baseUrl, publicKey, privateKey: "private-key-0001", allowHttp });
    const plugin = await startForTest({ env: { PULUMI_CONFIG: stack } });
    const west = "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west";
    await plugin.configure({ maxRetries: 0 }, west);
    expect(await plugin.check(ARGS)).toEqual({ inputs: INPUTS, failures: [] });
    await plugin.configure({ baseUrl: "ftp://example.com" }, west);
    await expect(plugin.read(ID)).rejects.toThrow("baseUrl (the argument baseUrl of the Provider 'west')");
  });

  it("is that of the stack where the stack has it, whatever the name of the provider is", async () => {
    const { address, warnings } = await startEngineLog();
    const key = { publicKey: "publickey", privateKey: "private-key-0001" };
    const stack = { ...key, baseUrl: "ftp://example.com", baseURL: "x" };
    const plugin = await startForTest({ env: { PULUMI_CONFIG: JSON.stringify(stack) }, engine: address });
    for (const name of ["default", "default_0_1_0", "west"]) {
      const urn = `urn:pulumi:dev::p::pulumi:providers:agent-log-config::${name}`;
      await plugin.configure(stack, urn);
      await expect(plugin.read(ID)).rejects.toThrow("baseUrl (the configuration key agent-log-config:baseUrl)");
      await plugin.configure({ baseUrl: "ftp://west.example.com" }, urn);
      await expect(plugin.read(ID)).rejects.toThrow(`baseUrl (the argument baseUrl of the Provider '${name}')`);
    }
    // An explicit provider does not warn of what the stack alone has.
    await plugin.checkConfig({ baseUrl: "https://west.example.com", version: "0.1.0" });
    expect(warnings).toEqual([]);
    await plugin.checkConfig({ ...stack, version: "0.1.0" });
    expect(warnings).toMatchObject([
      { message: expect.stringContaining("unknown settings: agent-log-config:baseURL;") },
    ]);
  });

  it("lets an attached plugin forget what was refused before", async () => {
    const plugin = await configured();
    service.rotateKey("another");
    await expect(plugin.read(ID)).rejects.toThrow("#err_wrong_key");
    service.rotateKey("private-key-0001");
    await plugin.configure(configuration());
    expect(await plugin.check(ARGS)).toEqual({ inputs: INPUTS, failures: [] });
    expect((await plugin.read(ID)).id).toBe(ID);
  });

  it("comes from the environment where the stack has none, and does not reach the state", async () => {
    const plugin = await startForTest({
      env: {
        AGENT_LOG_CONFIG_BASE_URL: service.baseUrl,
        AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
        AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-0001",
        AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
      },
    });
    expect(await plugin.checkConfig({ version: "0.1.0" })).toEqual({ version: "0.1.0" });
    await plugin.configure({ version: "0.1.0" });
    expect(await plugin.check(ARGS)).toEqual({ inputs: INPUTS, failures: [] });
  });
});

describe("a resource", () => {
  it("has known settings in the first preview, and a known id and time after the update", async () => {
    const plugin = await configured();
    const { inputs, failures } = await plugin.check(ARGS);
    expect([inputs, failures]).toEqual([INPUTS, []]);
    const unknownTime = { __unchangedSince: unknownValue, unchangedSince: unknownValue };
    const known = { ...RECORDED, whenUnavailable: null };
    expect(await plugin.create(inputs, true)).toEqual({ id: "", outputs: { ...known, ...unknownTime } });
    const { id, outputs } = await plugin.create(inputs);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect([id, outputs]).toEqual([ID, { ...known, __unchangedSince: time, unchangedSince: time }]);
    await plugin.delete(id);
  });

  it.each(["projectId", "agent"])("has unknown settings while its %s is unknown, and nothing is read", async (name) => {
    const plugin = await configured();
    const { inputs } = await plugin.check({ ...ARGS, [name]: unknownValue });
    expect(inputs).toMatchObject({
      logPath: unknownValue,
      logRotate: unknownValue,
      configOverrides: secret(unknownValue),
    });
    expect(service.requests).toEqual([]);
  });

  it("shows drift: the engine compares the inputs, and the new ones are what was read", async () => {
    const plugin = await configured();
    service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5 } });
    const { inputs } = await plugin.check(ARGS, RECORDED);
    expect(inputs).toEqual({ ...INPUTS, logRotate: { sizeThresholdMB: 500.5 } });
    const recorded = { ...RECORDED, __service: inputs["__service"] ?? null };
    expect(await plugin.diff(recorded, inputs)).toEqual({ changes: "undecided", replaces: [] });
    expect(await plugin.diff(RECORDED, RECORDED)).toEqual({ changes: "none", replaces: [] });
    // A record of a TypeScript program gets the time under the name that all languages have.
    const moved = { ...RECORDED, __provider: "exports.handler", __unchangedSince: "2026-01-01" };
    expect(await plugin.diff(RECORDED, RECORDED, moved)).toEqual({ changes: "some", replaces: [] });
    const updated = await plugin.update({ ...RECORDED, __unchangedSince: "2026-01-01T00:00:00.000Z" }, inputs);
    const { __service: _, ...outputs } = inputs;
    expect(updated).toMatchObject({ ...outputs, unchangedSince: expect.not.stringContaining("2026-01-01") });
  });

  it("reads itself where a caller pretends to have read", async () => {
    const plugin = await configured();
    const connection = fingerprintsOf({
      baseUrl: { text: service.baseUrl, source: "stack", place: "" },
      publicKey: { text: "publickey", source: "stack", place: "" },
    });
    const reading = { ...ARGS, fingerprints: { ...connection }, problem: null, secrets: [], ignored: [] };
    const forged = { ...ARGS, logPath: "/forged", __reading: reading };
    expect(await plugin.check(forged)).toEqual({ inputs: INPUTS, failures: [] });
    expect(await plugin.check({ ...ARGS, __reading: unknownValue })).toEqual({ inputs: INPUTS, failures: [] });
  });

  it.each(["agent-log-config:index:AgentLogConfigs", "agent-log-config:index:Foo"])(
    "can't be read or recorded as %s",
    async (type) => {
      const plugin = await configured();
      const urn = `urn:pulumi:dev::p::my:Group$${type}::r`;
      const refusal = `no record of the type ${type}; use agent-log-config:index:AgentLogConfig.`;
      await expect(plugin.read(ID, undefined, undefined, urn)).rejects.toThrow(refusal);
      expect((await plugin.check(ARGS, {}, urn)).failures).toEqual([expect.stringContaining(refusal)]);
      expect(service.requests).toEqual([]);
    },
  );

  it("is another resource with another project or agent", async () => {
    const plugin = await configured();
    const moved = { ...RECORDED, projectId: "f".repeat(24), agent: "backup" };
    expect((await plugin.diff(RECORDED, moved)).replaces).toEqual(["projectId", "agent"]);
  });

  it("has no arguments that change nothing in a record", async () => {
    const plugin = await configured();
    const { inputs } = await plugin.check({ ...ARGS, envelope: true, pretty: true });
    await expect(plugin.create(inputs)).rejects.toThrow(
      /there is no argument envelope; .*; there is no argument pretty; the arguments are projectId, agent, expect,/,
    );
  });

  it("is refreshed as inputs and outputs, and keeps what was secret a secret", async () => {
    const plugin = await configured();
    const expected = { expect: secret({ logPath: "/expected" }) };
    const { id, inputs, outputs } = await plugin.read(ID, { ...RECORDED, ...expected, logPath: secret("/old") });
    const found = { ...RECORDED, ...expected, logPath: secret(SETTINGS.logPath) };
    expect([id, inputs]).toEqual([ID, { ...found, __service: expect.any(String) }]);
    const time = expect.any(String);
    expect(outputs).toEqual({ ...found, whenUnavailable: null, __unchangedSince: time, unchangedSince: time });
  });

  it("is imported by its id", async () => {
    const plugin = await configured();
    const outputs = { ...RECORDED, unchangedSince: expect.any(String) };
    expect(await plugin.read(ID)).toMatchObject({ id: ID, inputs: RECORDED, outputs });
  });

  it("has no time of a read while it is only adopted, because the engine would show it as a difference", async () => {
    const plugin = await configured();
    const { outputs } = await plugin.read(ID, {});
    expect(outputs).toMatchObject({ ...RECORDED, unchangedSince: null });
    service.set(PROJECT_ID, "monitoring", { logPath: "/other" });
    const refreshed = await plugin.read(ID, outputs, {});
    expect(refreshed.outputs).toMatchObject({ logPath: "/other", unchangedSince: null });
  });

  it("is removed only when the service says the project does not exist", async () => {
    const { address, warnings } = await startEngineLog();
    const plugin = await configured({}, address);
    service.failNext({ status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' });
    expect(await plugin.read(ID, RECORDED)).toEqual({ id: "", inputs: {}, outputs: {} });
    await plugin.cancel();
    expect(warnings).toEqual([{ urn: URN, message: expect.stringContaining(`AgentLogConfig ${ID} is gone.`) }]);
    service.failNext({ status: 404, body: "{}" });
    const failed = plugin.read(ID, RECORDED).catch((error: Error) => error.message);
    expect(await failed).toMatch(/^This refresh used the connection of the last `pulumi up`;.* Can't read .* 404/);
  });

  it("keeps the record in an outage where told to, and warns beside the resource", async () => {
    const { address, warnings } = await startEngineLog();
    const plugin = await configured({}, address);
    service.respondWith({ status: 503 });
    const recorded = { ...RECORDED, whenUnavailable: "useRecorded" };
    const news = { ...ARGS, whenUnavailable: "useRecorded" };
    expect(await plugin.check(news, recorded)).toMatchObject({ inputs: recorded, failures: [] });
    const outputs = { ...recorded, __unchangedSince: "2026-01-01T00:00:00Z", unchangedSince: "2026-01-01T00:00:00Z" };
    expect(await plugin.diff(recorded, recorded, outputs)).toEqual({ changes: "none", replaces: [] });
    expect(await plugin.read(ID, outputs, recorded)).toMatchObject({ id: ID, inputs: recorded, outputs });
    await plugin.cancel();
    const age =
      / uses the recorded settings, which were first read \d+ days ago \(2026-01-01T00:00:00Z\)\. Can't read .* \(status 503\)/;
    expect(warnings).toEqual([{ urn: URN, message: expect.stringMatching(age) }]);
  });

  it("reads once for a replacement by the same project, which is checked twice, and may use its record in an outage", async () => {
    const plugin = await configured();
    const news = { ...ARGS, whenUnavailable: "useRecorded" };
    const recorded = { ...RECORDED, whenUnavailable: "useRecorded" };
    await plugin.check(news, recorded);
    const before = service.requests.length;
    expect(await plugin.check(news)).toMatchObject({ inputs: recorded });
    expect(service.requests).toHaveLength(before);
    service.respondWith({ status: 503 });
    await plugin.configure(configuration());
    for (const olds of [recorded, {}]) expect((await plugin.check(news, olds)).inputs).toMatchObject(recorded);
    expect((await plugin.create(recorded)).id).toBe(ID);
  });

  it("is never replaced where it fails", async () => {
    const plugin = await configured();
    const { inputs } = await plugin.check({ ...ARGS, projectId: "f".repeat(24) }, RECORDED);
    expect(await plugin.diff(RECORDED, inputs)).toEqual({ changes: "some", replaces: [] });
    await expect(plugin.update(RECORDED, inputs)).rejects.toThrow("there is no such project");
  });

  it("stays a record of its service in a refresh that can't read, and another service does not use it", async () => {
    const plugin = await configured();
    service.respondWith({ status: 503 });
    const inputs = { ...RECORDED, whenUnavailable: "useRecorded", __service: "875b511189af9dd3" };
    const { __service: _, ...outputs } = inputs;
    const read = await plugin.read(
      ID,
      { ...outputs, __unchangedSince: "2026-01-01", unchangedSince: "2026-01-01" },
      inputs,
    );
    expect(read.inputs).toEqual(inputs);
    await plugin.check({ ...ARGS, whenUnavailable: "useRecorded" }, read.inputs);
    await expect(plugin.update(RECORDED, inputs)).rejects.toThrow(
      "The recorded settings come from another service, so they are not used.",
    );
  });

  it("fails in an outage without a record, or where it is not told to use it", async () => {
    const { address, errors } = await startEngineLog();
    const plugin = await configured({}, address);
    service.respondWith({ status: 503 });
    await plugin.check({ ...ARGS, whenUnavailable: "useRecorded" });
    await expect(plugin.create(ARGS)).rejects.toThrow("status 503");
    await plugin.check(ARGS, RECORDED);
    await expect(plugin.update(RECORDED, RECORDED)).rejects.toThrow("status 503");
    await plugin.cancel();
    expect(errors).toEqual([]);
  });

  it("gives one reason for all that a refresh can't read in an outage", async () => {
    const plugin = await configured();
    service.respondWith({ status: 503 });
    const read = (name: string, agent: string) =>
      plugin.read(`${PROJECT_ID}/${agent}`, { ...RECORDED, agent }, { ...RECORDED, agent }, `${URN}-${name}`);
    const first = read("a", "monitoring").catch((error: Error) => error.message);
    await vi.waitUntil(() => service.requests.length > 1);
    expect(await read("b", "backup")).toMatchObject({ id: `${PROJECT_ID}/backup` });
    expect(await first).toMatch(/ \(status 503\).* The same applies to monitoring-b\.$/);
  });

  it("shows warnings through the engine that has attached last", async () => {
    const { address, warnings } = await startEngineLog();
    const plugin = await configured();
    await plugin.attach(address);
    await plugin.check({ ...ARGS, expect: { logPath: "/other" }, whenUnexpected: "warn" });
    await plugin.cancel();
    expect(warnings).toEqual([{ urn: URN, message: expect.stringContaining('expected "/other"') }]);
  });

  it.each([
    {
      description: "a malformed id",
      args: { projectId: "x" },
      reason: 'projectId must be 24 hexadecimal digits, not "x".',
    },
    {
      description: "a malformed id that is secret",
      args: { projectId: secret("x") },
      reason: "projectId must be 24 hexadecimal digits.",
    },
    {
      description: "another agent",
      args: { agent: "other" },
      reason: 'agent must be "monitoring" or "backup", not "other".',
    },
    { description: "a wrong choice", args: { whenUnavailable: "retry" }, reason: "whenUnavailable must be" },
    {
      description: "an unknown expectation",
      args: { expect: { path: "/" } },
      reason: "expect has unknown names: path;",
    },
  ])("is refused with $description", async ({ args, reason }) => {
    const plugin = await configured();
    const { inputs } = await plugin.check({ ...ARGS, ...args });
    await expect(plugin.create(inputs)).rejects.toThrow(`Nothing was read: the argument ${reason}`);
    expect(service.requests).toEqual([]);
  });

  it.each([
    { description: "a wrong key", changed: { privateKey: "private-key-0002" }, reason: "#err_wrong_key" },
    { description: "missing settings", changed: { baseUrl: null }, reason: "Connection settings are missing: baseUrl" },
    { description: "a wrong setting", changed: { maxRetries: "many" }, reason: "must be a whole number from 0 to 10" },
  ])("fails with $description, without a secret in the message", async ({ changed, reason }) => {
    const plugin = await configured(changed);
    const { inputs } = await plugin.check(ARGS);
    const created = await plugin.create(inputs).then(String, (error: Error) => error.message);
    expect(created).toContain(reason);
    await plugin.configure(configuration(changed));
    const read = await plugin.read(ID).then(String, (error: Error) => error.message);
    expect(read).toContain(reason);
    expect(`${created} ${read}`).not.toContain("private-key-000");
  });

  it.each([{ expect: { logPath: secret("/secret") } }, { expect: secret({ logPath: "/secret" }) }])(
    "quotes no secret argument, and keeps it a secret: %j",
    async (expectation) => {
      const plugin = await configured();
      const { inputs } = await plugin.check({ ...ARGS, ...expectation });
      expect(inputs).toMatchObject(expectation);
      await expect(plugin.create(inputs)).rejects.toThrow(
        /^AgentLogConfig \w+\/monitoring: logPath is not as expected; /,
      );
      await plugin.check({ ...ARGS, projectId: secret("malformed") });
      await expect(plugin.create(inputs)).rejects.toThrow(/^(?!.*malformed)/);
    },
  );
});

describe("getAgentLogConfig", () => {
  it("returns the settings without the secret ones", async () => {
    const plugin = await configured();
    const { configOverrides: _, ...settings } = RECORDED;
    const serviceVersion = { gitHash: expect.any(String), versionString: expect.any(String) };
    const result = await plugin.invoke("getAgentLogConfig", { ...ARGS, pretty: true, envelope: null });
    expect(result).toEqual({ id: ID, ...settings, serviceVersion });
  });

  it.each([
    {
      description: "a malformed id",
      args: { projectId: "x" },
      changed: {},
      reason: 'must be 24 hexadecimal digits, not "x".',
    },
    {
      description: "a malformed id that is secret",
      args: { projectId: secret("x") },
      changed: {},
      reason: "must be 24 hexadecimal digits.",
    },
    {
      description: "an unknown argument",
      args: { prety: true },
      changed: {},
      reason: "unknown names: prety; the valid ones are projectId, agent, envelope, pretty",
    },
    { description: "a wrong key", args: {}, changed: { privateKey: "x" }, reason: "#err_wrong_key" },
  ])("fails with $description in one sentence", async ({ args, changed, reason }) => {
    const plugin = await configured(changed);
    await expect(plugin.invoke("getAgentLogConfig", { ...ARGS, ...args })).rejects.toThrow(reason);
  });
});

describe("a failed connection", () => {
  const command = `npx pulumi-agent-log-config check --project ${PROJECT_ID} --stack dev`;
  const messagesOf = async (plugin: PluginProcess) => {
    const { inputs } = await plugin.check(ARGS);
    const ofResource = await plugin.create(inputs).then(String, (error: Error) => error.message);
    const ofFunction = await plugin.invoke("getAgentLogConfig", ARGS).then(String, (error: Error) => error.message);
    return [ofResource, ofFunction];
  };
  const refused = { baseUrl: "https://127.0.0.1:1" };

  it("names the command that tries it step by step", async () => {
    const stack = JSON.stringify({ ...configuration(refused), privateKey: "private-key-0001" });
    const plugin = await startForTest({ env: { PULUMI_CONFIG: stack } });
    await plugin.configure(configuration(refused));
    const found = await messagesOf(plugin);
    expect(found).toHaveLength(2);
    for (const message of found) {
      expect(message).toMatch(
        new RegExp(`#err_connection\\. \`${command}\` says which step of the connection fails\\.$`),
      );
    }
  });

  it("does not where the command would not know the settings", async () => {
    const explicit = await startForTest();
    await explicit.configure(configuration(refused), "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west");
    const automated = await startForTest({ env: { PULUMI_AUTOMATION_API: "true" } });
    await automated.configure(configuration(refused));
    for (const plugin of [explicit, automated]) {
      for (const message of await messagesOf(plugin)) expect(message).toMatch(/#err_connection\.$/);
    }
  });
});

describe("getAgentLogConfigs", () => {
  it("returns what could be read and why the rest could not, in the order asked for", async () => {
    const plugin = await configured();
    const missing = "f".repeat(24);
    const result = await plugin.invoke("getAgentLogConfigs", { projectIds: [missing, PROJECT_ID] });
    const { configOverrides: _, ...settings } = RECORDED;
    expect(result["configs"]).toMatchObject([settings, { agent: "backup", logPath: "/backup" }]);
    expect(result["failures"]).toMatchObject([
      { projectId: missing, agent: "monitoring", code: "ERR_PROJECT_NOT_FOUND", temporary: false },
      { projectId: missing, agent: "backup", code: "ERR_PROJECT_NOT_FOUND" },
    ]);
  });

  it("returns empty lists for an empty list, and fails where nothing can be read at all", async () => {
    const plugin = await configured({ privateKey: "x" });
    const empty = await plugin.invoke("getAgentLogConfigs", { projectIds: [] });
    expect(empty).toEqual({ configs: [], failures: [] });
    const all = plugin.invoke("getAgentLogConfigs", { projectIds: [PROJECT_ID] });
    await expect(all).rejects.toThrow("#err_wrong_key");
  });

  it("fails for arguments that can't work, and quotes none that is secret", async () => {
    const plugin = await configured();
    const call = (projectId: PropertyValue) =>
      plugin.invoke("getAgentLogConfigs", { projectIds: [PROJECT_ID, projectId] });
    await expect(call("orders")).rejects.toThrow('projectIds.1 must be 24 hexadecimal digits, not "orders".');
    await expect(call(secret("orders"))).rejects.toThrow("projectIds.1 must be 24 hexadecimal digits.");
  });
});
