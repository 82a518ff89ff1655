import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { type PropertyMap, secret, unknownValue } from "../stand-in-engine/property-value.ts";
import { queueFaults } from "../testing/queue-faults.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import {
  configurationFor,
  FLEET_URN,
  type PluginProcess,
  startEngineLog,
  startForTest,
  startPlugin,
  URN,
} from "./plugin-process.ts";

// What records in the plugin have in common with those of programs is in test/provider/both-ways.test.ts.

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
  whenUnavailable: "fail",
  logPath: SETTINGS.logPath,
  logPathWindows: "",
  logRotate: SETTINGS.logRotate,
  username: "",
  configOverrides: secret(SETTINGS.configOverrides),
};
/** As inputs they have what they were read for, too. */
const INPUTS = { ...RECORDED, __readTarget: expect.stringMatching(`^${ID} [0-9a-f]{16}$`) };

const installed = usePluginFolder();
let shared: PluginProcess;
let service: Service;

beforeAll(async () => {
  shared = await startPlugin(installed.module());
});

afterAll(() => shared.stop());

beforeEach(async () => {
  service = await openService({
    settings: { [PROJECT_ID]: { monitoring: SETTINGS, backup: { logPath: "/backup" } } },
  });
});

const configuration = (changed?: PropertyMap) => configurationFor(service, changed);

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
    queueFaults(service, { delaySeconds: 60 });
    const plugin = await startForTest(installed.module());
    await plugin.configure(configuration());
    const read = plugin.check(ARGS).catch((error: Error) => error.message);
    await vi.waitFor(() => expect(service.requests).toHaveLength(2));
    expect(await plugin.endInput()).toBe(0);
    expect(await read).toBeTypeOf("string");
  });

  it("lets no read wait for another one, and ends all at once where the engine cancels", async () => {
    const plugin = await configured();
    await plugin.check(ARGS);
    queueFaults(service, { delaySeconds: 60 });
    const slow = plugin.check(ARGS).catch((error: Error) => error.message);
    await vi.waitFor(() => expect(service.requests).toHaveLength(3));
    expect(await plugin.check({ ...ARGS, agent: "backup" })).toMatchObject({ logPath: "/backup" });
    await plugin.cancel();
    expect(await slow).toBe("The read was given up, because the run has ended.");
    expect(await plugin.check(ARGS)).toEqual(INPUTS);
  });
});

const create = (plugin: PluginProcess, properties: PropertyMap, preview = false) =>
  plugin.call("Create", { urn: URN, properties, preview });

describe("a resource", () => {
  it("has known settings in the first preview, a known id after the update, and is deleted", async () => {
    const plugin = await configured();
    const inputs = await plugin.check(ARGS);
    const preview = await create(plugin, inputs, true);
    expect(preview).toEqual({ properties: RECORDED });
    expect(await create(plugin, inputs)).toEqual({ id: ID, properties: RECORDED });
    expect(await plugin.call("Delete", { urn: URN, id: ID })).toEqual({});
  });

  it("is compared by its inputs, and differs from what a program in TypeScript has recorded, which has its provider in it", async () => {
    const plugin = await configured();
    const inputs = { ...RECORDED, __readTarget: `${ID} 875b511189af9dd3` };
    const diff = (olds: PropertyMap) =>
      plugin.call("Diff", { urn: URN, id: ID, oldInputs: inputs, news: inputs, olds: { ...RECORDED, ...olds } });
    expect(await diff({ logPath: "/output" })).toEqual({ changes: "DIFF_NONE" });
    expect(await diff({ __provider: "exports.handler" })).toEqual({ changes: "DIFF_SOME" });
  });

  it("reads itself where a caller pretends to have read, and takes no name that begins with two underscores", async () => {
    const plugin = await configured();
    const fingerprints = { baseUrl: null, publicKey: null };
    const reading = JSON.stringify({
      name: "forged",
      secrets: [],
      ignoreChanges: [],
      read: { readTarget: { id: ID }, fingerprints },
    });
    for (const __origin of [reading, unknownValue]) {
      expect(await plugin.check({ ...ARGS, logPath: "/forged", __origin })).toEqual(INPUTS);
    }
    const failures = [{ causeKey: "forged", message: "##vso[task.complete]" }];
    const forged = { __failures: failures, __failsIn: "program", __readTarget: "x", __zzz: secret("z") };
    expect(await plugin.check({ ...ARGS, ...forged })).toEqual(INPUTS);
  });

  it("can't be read or recorded as what the plugin does not have", async () => {
    const plugin = await configured();
    const urn = "urn:pulumi:dev::p::my:Group$agent-log-config:index:Foo::r";
    const reason =
      "The plugin agent-log-config has no record of the type agent-log-config:index:Foo; use agent-log-config:index:AgentLogConfig or agent-log-config:index:AgentLogConfigs.";
    await expect(plugin.call("Read", { urn, id: ID })).rejects.toThrow(reason);
    expect(await plugin.call("Check", { urn, news: ARGS })).toEqual({ failures: [{ reason }] });
    expect(service.requests).toEqual([]);
  });

  it("can't be imported as a fleet", async () => {
    const urn = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";
    const imported = (await configured()).call("Read", { urn, id: ID });
    await expect(imported).rejects.toThrow("An AgentLogConfigs can't be imported or read by an id; ");
  });

  it("keeps in a refresh what was secret a secret, and is imported by its id", async () => {
    const plugin = await configured();
    const expected = { expect: secret({ logPath: "/expected" }) };
    const before = { ...RECORDED, ...expected, logPath: secret("/old") };
    const found = { ...RECORDED, ...expected, logPath: secret(SETTINGS.logPath) };
    const refreshed = await plugin.call("Read", { urn: URN, id: ID, properties: before, inputs: before });
    expect(refreshed["inputs"]).toEqual({ ...found, __readTarget: INPUTS.__readTarget });
    expect(refreshed["properties"]).toEqual(found);
    const imported = { id: ID, inputs: RECORDED, properties: RECORDED };
    expect(await plugin.call("Read", { urn: URN, id: ID })).toMatchObject(imported);
    for (const state of [{}, { agent: "backup" }]) {
      const adopted = await plugin.call("Read", { urn: URN, id: ID, inputs: state, properties: state });
      expect(adopted["properties"]).toMatchObject(RECORDED);
    }
  });

  it("says in a refresh what to do after a change of the connection, unless a program has sent the connection", async () => {
    service.respondWith(() => ({ status: 404, body: "<html>" }));
    for (const isSent of [false, true]) {
      if (isSent) await shared.checkConfig(configuration());
      const plugin = await configured();
      const read = plugin.call("Read", { urn: URN, id: ID, properties: RECORDED, inputs: {} });
      const message = await read.then(String, String);
      expect(message.includes("If the connection has changed since the last `pulumi up`, run"), message).toBe(!isSent);
    }
  });

  it("takes in a refresh both halves of a wrong key from the state, whatever the stack has now", async () => {
    const stack = JSON.stringify({ publicKey: "publickey", privateKey: "private-key-0002" });
    const plugin = await startForTest(installed.module(), { env: { PULUMI_CONFIG: stack } });
    const messageOf = async (changed: PropertyMap) => {
      await plugin.configure(configuration(changed));
      return plugin.call("Read", { urn: URN, id: ID, properties: RECORDED, inputs: {} }).then(String, String);
    };
    service.rotateKey("private-key-0002");
    expect(await messageOf({})).toMatch(/ See \S+#err_wrong_key\. If the connection has changed since/);
  });

  it("shows what it says beside the resource, in an update as its failure alone", async () => {
    const { address, warnings, errors } = await startEngineLog();
    const plugin = await configured({}, address);
    await plugin.check({ ...ARGS, expect: { logPath: "/other" }, whenUnexpected: "warn" });
    await plugin.cancel();
    expect(warnings).toEqual([{ urn: URN, message: expect.stringContaining('expected "/other"') }]);
    const failing = await plugin.check({ ...ARGS, expect: { logPath: "/other" } });
    // Neither is held for the other one.
    const both = await Promise.allSettled([create(plugin, failing), create(plugin, failing)]);
    const reason = expect.objectContaining({ message: expect.stringContaining('expected "/other"') });
    expect(both).toEqual(Array(2).fill({ status: "rejected", reason }));
    await plugin.cancel();
    expect(errors).toEqual([]);
  });

  it("records no provider of a program in TypeScript, which ignoreChanges of all properties puts back", async () => {
    const plugin = await configured();
    const inputs = await plugin.check({ ...RECORDED, __provider: "exports.handler" }, RECORDED);
    expect(inputs).not.toHaveProperty("__provider");
  });

  it.each([
    { expect: { username: "u", logPath: secret("/secret") } },
    { expect: secret({ username: "u", logPath: "/secret" }) },
  ])("quotes no secret argument, and keeps it a secret: %j", async (expectation) => {
    const plugin = await configured();
    const inputs = await plugin.check({ ...ARGS, ...expectation });
    expect(inputs).toMatchObject(expectation);
    await expect(create(plugin, inputs)).rejects.toThrow(
      /monitoring: logPath is not as expected; .*\n.*monitoring: username is not as expected; /,
    );
    for (const [projectId, said] of [
      ["malformed", true],
      [secret("malformed"), false],
    ] as const) {
      const refused = await plugin.check({ ...ARGS, projectId });
      const message = await create(plugin, refused).then(String, String);
      expect(message.includes('must be 24 hexadecimal digits, not "malformed"')).toBe(said);
    }
  });
});

describe("a fleet", () => {
  const FLEET = { projects: { orders: PROJECT_ID, gone: "f".repeat(24) }, agents: ["monitoring"] };

  it("is unknown in a preview if a member fails, which is told with the other resources", async () => {
    const plugin = await configured();
    const single = await plugin.check({ ...ARGS, projectId: "f".repeat(24) });
    const held = create(plugin, single, true).then(String, (error: Error) => error.message);
    const properties = await plugin.check(FLEET, {}, FLEET_URN);
    const outputs = { ...FLEET, configs: unknownValue, configOverrides: secret(unknownValue), whenUnavailable: "fail" };
    expect(await plugin.call("Create", { urn: FLEET_URN, properties, preview: true })).toEqual({ properties: outputs });
    await plugin.cancel();
    expect(await held).toMatch(/no such project.* This applies to the resources fleet gone\/monitoring, monitoring\.$/);
  });

  it("can't be read by `get`, whatever state it is given", async () => {
    const state = { projects: { one: ARGS.projectId }, agents: ["backup"] };
    const read = (await configured()).call("Read", { urn: FLEET_URN, id: ID, inputs: state, properties: state });
    await expect(read).rejects.toThrow("An AgentLogConfigs can't be imported or read by an id; create the resource,");
    expect(service.requests).toEqual([]);
  });

  it("is told from a resource of its own by its type, if its program has left out the projects", async () => {
    const inputs = await (await configured()).check({ agents: ["backup"] }, {}, FLEET_URN);
    expect(inputs["__failures"]).toContain("the argument projects must be a map from names to project ids");
  });
});

describe("getAgentLogConfig", () => {
  it("returns the settings without the secret ones", async () => {
    const plugin = await configured();
    const { configOverrides: _, whenUnavailable: __, ...settings } = RECORDED;
    const serviceVersion = { gitHash: expect.any(String), versionString: expect.any(String) };
    const result = await plugin.invoke("getAgentLogConfig", { ...ARGS, pretty: true, envelope: null });
    expect(result).toEqual({ id: ID, ...settings, serviceVersion });
  });
});

describe("getAgentLogConfigs", () => {
  it("returns what could be read and why the rest could not, in the order asked for", async () => {
    const plugin = await configured();
    const missing = "f".repeat(24);
    const result = await plugin.invoke("getAgentLogConfigs", { projectIds: [missing, PROJECT_ID] });
    const { configOverrides: _, whenUnavailable: __, ...settings } = RECORDED;
    expect(result["configs"]).toMatchObject([settings, { agent: "backup", logPath: "/backup" }]);
    expect(result["failures"]).toMatchObject([
      { projectId: missing, agent: "monitoring", code: "ERR_PROJECT_NOT_FOUND", temporary: false },
      { projectId: missing, agent: "backup", code: "ERR_PROJECT_NOT_FOUND" },
    ]);
  });
});

it.each<[name: string, args: PropertyMap, reason: string]>([
  ["getAgentLogConfig", { ...ARGS, projectId: "x" }, 'must be 24 hexadecimal digits, not "x".'],
  ["getAgentLogConfig", { ...ARGS, projectId: secret("x") }, "must be 24 hexadecimal digits."],
  ["getAgentLogConfig", { ...ARGS, prety: true }, "unknown names: prety; the valid ones are projectId, agent,"],
  ["getAgentLogConfigs", { projectIds: [PROJECT_ID, "x"] }, 'projectIds.1 must be 24 hexadecimal digits, not "x".'],
  ["getAgentLogConfigs", { projectIds: [PROJECT_ID, secret("x")] }, "projectIds.1 must be 24 hexadecimal digits."],
])("%s refuses %j in one sentence, and quotes no secret", async (name, args, reason) => {
  const plugin = await configured();
  await expect(plugin.invoke(name, args)).rejects.toThrow(reason);
});
