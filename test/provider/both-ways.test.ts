import { beforeEach, describe, expect, it } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { URN } from "../plugin/plugin-process.ts";
import { type PropertyMap, parseProperties, secret, unknownValue } from "../stand-in-engine/property-value.ts";
import { connectionWith, type Kept, type Provider, update, useWays } from "./ways.ts";

// What the dynamic provider and the plugin do alike, where no program has read for them.

const PROJECT_ID = "0123456789abcdef01234567";
const OTHER_PROJECT_ID = "76543210fedcba9876543210";
const ID = `${PROJECT_ID}/monitoring`;
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const USE_RECORDED = { ...ARGS, whenUnavailable: "useRecorded" };
const NOTHING = { logPath: "", logPathWindows: "", logRotate: {}, username: "", configOverrides: {} };
const FOUND = { logPath: "/l", logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } };
const GONE = { status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' };
const OUTAGE = { status: 503 };
const UNUSED = "the recorded settings come from another service, so they are not used";
/** A file to the engine. */
const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", path: "/etc/passwd" };

let service: Service;

beforeEach(async () => {
  const settings = { monitoring: FOUND, backup: { logPath: "/backup" } };
  service = await openService({ settings: { [PROJECT_ID]: settings, [OTHER_PROJECT_ID]: settings } });
});

const configuration = () => connectionWith(service);

/** The record of an earlier run, of long ago. */
async function recorded(provider: Provider, args: PropertyMap = ARGS): Promise<Kept> {
  const { id, inputs, outputs } = await update(provider, args);
  return { id, inputs, outputs };
}

describe.each(useWays(URN))("the $way", ({ way, open }) => {
  it("records what it reads, under the id of project and agent", async () => {
    const { id, inputs, outputs } = await update(await open(configuration()), ARGS);
    const known = { ...ARGS, whenUnavailable: "fail", ...NOTHING, ...FOUND };
    const record = {
      ...known,
      configOverrides: secret({}),
      __readTarget: expect.stringMatching(`^${ID} [0-9a-f]{16}$`),
    };
    expect([id, inputs]).toEqual([ID, record]);
    // The engine seals what the provider host returns without a seal.
    expect(outputs).toMatchObject({ ...known, configOverrides: way === "plugin" ? secret({}) : {} });
    expect(outputs).not.toHaveProperty("__readTarget");
  });

  it.each(["projectId", "agent"])("has unknown settings while its %s is unknown, and reads nothing", async (name) => {
    const provider = await open(configuration());
    const inputs = await provider.check({ ...ARGS, [name]: unknownValue }, {});
    expect(inputs).toMatchObject({ logPath: unknownValue, logRotate: unknownValue, [name]: unknownValue });
    expect(service.requests).toEqual([]);
  });

  it.each<[description: string, change: { args?: PropertyMap; found?: PropertyMap }, op: string]>([
    ["nothing", {}, "same"],
    ["a threshold", { found: { ...FOUND, logRotate: { sizeThresholdMB: 500.5 } } }, "update"],
    ["a setting that goes", { found: { logRotate: FOUND.logRotate } }, "update"],
    ["an argument", { args: { whenUnexpected: "warn" } }, "update"],
    ["the agent", { args: { agent: "backup" } }, "replace by agent"],
    ["the project", { args: { projectId: OTHER_PROJECT_ID } }, "replace by projectId"],
  ])("compares with the record: %s", async (_, change, op) => {
    const provider = await open(configuration());
    const kept = await recorded(provider);
    if (change.found) service.set(PROJECT_ID, "monitoring", change.found);
    const made = await update(await open(configuration()), { ...ARGS, ...change.args }, kept);
    expect(made.op).toBe(op);
    expect(made.inputs).toMatchObject({ ...change.args, ...change.found });
  });

  it.each<[args: PropertyMap, reason: string]>([
    [{ projectId: "orders" }, "projectId must be 24 hexadecimal digits"],
    [{ agent: "other" }, 'agent must be "monitoring" or "backup"'],
    [{ whenUnavailable: "later" }, 'whenUnavailable must be "fail" or "useRecorded"'],
    [{ whenUnexpected: 5 }, 'whenUnexpected must be "fail" or "warn"'],
    [{ expect: { logPath: 5 } }, "expect.logPath must be a string"],
    [{ expect: { path: "/" } }, "expect has unknown names: path;"],
    [{ envelope: true }, "the argument has unknown names: envelope; the valid ones are projectId, agent, expect,"],
  ])("reads nothing for %j", async (args, reason) => {
    const made = update(await open(configuration()), { ...ARGS, ...args });
    await expect(made).rejects.toThrow(/^Nothing was read: the argument /);
    await expect(made).rejects.toThrow(reason);
    expect(service.requests).toEqual([]);
  });

  it.each([
    { change: { privateKey: "private-key-0002" }, reason: "#err_wrong_key" },
    { change: { baseUrl: "" }, reason: "Connection settings are missing: baseUrl" },
    { change: { maxRetries: "many" }, reason: "must be a whole number from 0 to 10" },
  ])("fails with the connection $change, without a secret in the message", async ({ change, reason }) => {
    const opened = () => open({ ...configuration(), ...change });
    const messageOf = (asked: Promise<object>) => asked.then(String, ({ message }) => message);
    const made = await messageOf(update(await opened(), ARGS));
    const read = await messageOf((await opened()).read(ID, {}));
    for (const message of [made, read]) {
      expect(message).toContain(reason);
      expect(message).not.toContain("private-key-000");
    }
  });

  it("fails for each setting that is not as expected, or warns of it", async () => {
    const expected = { logPath: "/srv", logRotate: { sizeThresholdMB: { atMost: 500 } }, notSet: ["username"] };
    const sentences = [
      `AgentLogConfig ${ID}: logPath is "/l", expected "/srv"; change it in the service, or change expect.`,
      `AgentLogConfig ${ID}: logRotate.sizeThresholdMB is 1000, expected at most 500; change it in the service, or change expect.`,
    ];
    const failed = update(await open(configuration()), { ...ARGS, expect: expected });
    await expect(failed).rejects.toThrow(new Error(sentences.join("\n")));
    const provider = await open(configuration());
    const { inputs } = await update(provider, { ...ARGS, expect: expected, whenUnexpected: "warn" });
    expect(inputs).toMatchObject({ ...FOUND, expect: expected });
    // The plugin knows the names of resources.
    const warnings = (await provider.warnings()).map((warning) =>
      warning.replace(/ This applies to the resource monitoring\.$/, ""),
    );
    expect(warnings).toEqual(sentences);
  });

  it("uses the record in an outage where it is told to, and warns", async () => {
    const kept = await recorded(await open(configuration()), USE_RECORDED);
    service.respondWith(() => OUTAGE);
    const provider = await open(configuration());
    expect(await update(provider, USE_RECORDED, kept)).toEqual({ op: "same", ...kept });
    expect(await provider.warnings()).toEqual([
      expect.stringMatching(/^Can't read .*status 503.* AgentLogConfig \S*monitoring uses the recorded settings\.$/),
    ]);
  });

  const unmet = { ...USE_RECORDED, expect: { logPath: "/srv" } };
  const asIs = (kept: Kept): Kept | undefined => kept;
  const ofElsewhere = ({ inputs, ...kept }: Kept) => ({
    ...kept,
    inputs: { ...inputs, __readTarget: `${ID} 0123456789abcdef` },
  });
  it.each<[description: string, args: PropertyMap, change?: typeof asIs, reason?: string]>([
    ["the program does not ask for the record", ARGS],
    ["the program asks to fail", { ...ARGS, whenUnavailable: "fail" }],
    ["nothing is recorded", USE_RECORDED, () => undefined],
    ["the record is of another agent", { ...USE_RECORDED, agent: "backup" }],
    ["the record is of another project", { ...USE_RECORDED, projectId: OTHER_PROJECT_ID }],
    ["the record is of another service", USE_RECORDED, ofElsewhere, UNUSED],
    ["the record is not as expected", unmet, asIs, 'logPath is "/l", expected "/srv"; change it in'],
  ])("fails in an outage where %s", async (_, args, change = asIs, reason = "status 503") => {
    const kept = await recorded(await open(configuration()), USE_RECORDED);
    service.respondWith(() => OUTAGE);
    const provider = await open(configuration());
    await expect(update(provider, args, change(kept))).rejects.toThrow(reason);
    await provider.warnings();
  });

  it("records in a refresh what it reads, as inputs too, so that the next preview is empty", async () => {
    const args = { ...ARGS, expect: { notSet: ["username"] } };
    const kept = await recorded(await open(configuration()), args);
    service.set(PROJECT_ID, "monitoring", { logPath: "/new", configOverrides: { key: "k" } });
    const { id, inputs, properties } = await (await open(configuration())).read(ID, kept);
    const found = { ...args, ...NOTHING, logPath: "/new", configOverrides: secret({ key: "k" }) };
    expect(id).toBe(ID);
    expect(inputs).toMatchObject({ ...found, __readTarget: kept.inputs["__readTarget"] });
    expect(properties).toMatchObject(found);
    const refreshed = { id: ID, inputs: parseProperties(inputs), outputs: parseProperties(properties) };
    expect(await update(await open(configuration()), args, refreshed)).toMatchObject({ op: "same" });
    expect(await (await open(configuration())).read(ID, refreshed)).toMatchObject({ inputs: found });
  });

  it("reads what is only adopted, and finds it unchanged until its settings differ", async () => {
    const read = async (outputs: PropertyMap) => (await open(configuration())).read(ID, { inputs: {}, outputs });
    const first = parseProperties((await read({}))["properties"]);
    expect(first).toMatchObject({ ...ARGS, ...FOUND });
    expect(await read(first)).toEqual({ id: ID, inputs: {}, properties: first });
    service.set(PROJECT_ID, "monitoring", { logPath: "/other" });
    expect(await read(first)).toMatchObject({ properties: { logPath: "/other" } });
  });

  it("removes a record where the service says that the project does not exist", async () => {
    const kept = await recorded(await open(configuration()));
    service.respondWith(() => GONE);
    const provider = await open(configuration());
    expect((await provider.read(ID, kept))["id"]).toBeUndefined();
    expect(await provider.warnings()).toEqual([
      expect.stringMatching(/^Can't read .* AgentLogConfig (\w+\/)?monitoring is gone\.$/),
    ]);
    await expect((await open(configuration())).read(ID, {})).rejects.toThrow("GROUP_NOT_FOUND");
  });

  const unsure = [
    { status: 200, body: '{"errorCode":"GROUP_NOT_FOUND"}' },
    { status: 400, body: '{"error":400,"errorCode":"INVALID_GROUP_ID"}' },
    { status: 404, body: '{"error":404,"errorCode":"INVALID_GROUP_ID"}' },
    { status: 429, body: '{"error":429,"errorCode":"GROUP_NOT_FOUND"}' },
  ];
  // The plugin holds each failure for three seconds.
  it.each(way === "plugin" ? unsure.slice(0, 1) : unsure)(
    "keeps a record in a refresh where the service says %o",
    async (answer) => {
      const kept = await recorded(await open(configuration()));
      service.respondWith(() => answer);
      await expect((await open(configuration())).read(ID, kept)).rejects.toThrow(/_GROUP_ID|GROUP_NOT_FOUND/);
    },
  );

  it("keeps the record in a refresh in an outage where it is told to", async () => {
    const kept = await recorded(await open(configuration()), USE_RECORDED);
    service.respondWith(() => OUTAGE);
    const provider = await open(configuration());
    const { id, inputs = kept.inputs, properties } = await provider.read(ID, kept);
    expect(await provider.warnings()).toEqual([expect.stringMatching(/status 503.* uses the recorded settings/)]);
    expect([id, inputs]).toEqual([ID, kept.inputs]);
    expect(properties).toMatchObject(FOUND);
  });

  it("uses no record of another service in a refresh, as far as the engine tells what it was read for", async () => {
    const kept = await recorded(await open(configuration()), USE_RECORDED);
    const other = await openService();
    other.respondWith(() => OUTAGE);
    const provider = await open({ ...configuration(), baseUrl: other.baseUrl });
    const read = provider.read(ID, kept);
    // The provider host passes outputs alone, which do not say it.
    if (way === "plugin")
      await expect(read).rejects.toThrow(/status 503.*the recorded settings come from another service/);
    else expect(await read).toMatchObject({ id: ID });
    expect(await provider.warnings()).toHaveLength(way === "plugin" ? 0 : 1);
  });

  it("fails in a refresh with the cause, and says last what to do after a change of the connection", async () => {
    const kept = await recorded(await open(configuration()));
    service.respondWith(() => ({ status: 404, body: "<html>" }));
    const failed = (await open(configuration())).read(ID, kept);
    const message = await failed.then(String, (error: Error) => error.message);
    expect(message).toContain("(status 404)");
    expect(message).toContain(
      "If the connection has changed since the last `pulumi up`, run `pulumi up`, or `pulumi ref",
    );
    expect(message).not.toMatch(/<\w+>/);
  });

  it("refuses settings that the engine would not take for data, and a malformed id", async () => {
    service.set(PROJECT_ID, "monitoring", { configOverrides: { deep: ASSET } });
    const refused = (await open(configuration())).read(ID, {});
    await expect(refused).rejects.toThrow(
      "configOverrides has a key that is empty, or that Pulumi or JavaScript uses itself",
    );
    const malformed = (await open(configuration())).read("x\u001b[2J", {});
    await expect(malformed).rejects.toThrow("does not have the form <projectId>/<agent>");
    await expect(malformed).rejects.toThrow(/^\P{Cc}*$/u);
  });
});
