import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { SETTING_NAMES } from "../../sdk/model/agent-log-settings.ts";
import * as provider from "../../sdk/provider/dynamic-provider.ts";
import { lookUpConnection, stackConfiguration } from "../../sdk/reading/connection-settings.ts";
import type { ProgramOrigin, ProgramRead } from "../../sdk/record/program-origin.ts";
import { fingerprintsOf } from "../../sdk/record/read-target.ts";
import { type Properties, UNKNOWN_SETTINGS } from "../../sdk/record/resource-properties.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { isObject } from "../../sdk/text/json.ts";
import { openService } from "../client/open-client.ts";
import { startEngineLog } from "../plugin/plugin-process.ts";

// What programs send to the dynamic provider. What it does without them is in both-ways.test.ts.

const PROJECT_ID = "0123456789abcdef01234567";
const OTHER_PROJECT_ID = "76543210fedcba9876543210";
const ID = `${PROJECT_ID}/monitoring`;
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const NOTHING = { logPathWindows: "", logRotate: {}, username: "", configOverrides: {} };
/** What the program has read, and what the provider finds if it reads itself. */
const INPUTS = { ...ARGS, whenUnavailable: "fail", ...NOTHING, logPath: "/read/by/program" };
const OWN = { ...NOTHING, logPath: "/read/by/provider" };

let service: Service;
let configured: Readonly<Record<string, string>>;
const CONFIGURATION = { get: (key: string) => configured[key.replace("agent-log-config:", "")] };

beforeEach(async () => {
  const settings = { monitoring: { logPath: OWN.logPath } };
  service = await openService({ settings: { [PROJECT_ID]: settings, [OTHER_PROJECT_ID]: settings } });
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  configured = { baseUrl: service.baseUrl, ...key, allowHttp: "true", maxRetries: "0" };
});

const { create, diff, read, update } = provider;

/** Checks inputs with the origin as the text that it travels as. */
async function check(
  configuration: provider.ProviderConfiguration,
  olds: Properties,
  news: Properties,
): Promise<Awaited<ReturnType<typeof provider.check>>> {
  const { __origin: origin } = news;
  const text = isObject(origin) ? { __origin: JSON.stringify(origin) } : {};
  const { inputs, failures } = await provider.check(configuration, olds, { ...news, ...text });
  const { configOverrides } = inputs;
  // It comes with a seal, and goes to all other calls without one.
  const content = isObject(configOverrides) && "value" in configOverrides ? configOverrides["value"] : configOverrides;
  return { inputs: { ...inputs, configOverrides: content }, failures };
}

const fingerprints = () => fingerprintsOf(lookUpConnection(stackConfiguration(CONFIGURATION.get)));

/** What was printed, because there is no engine that shows it. */
function warnings(): readonly string[] {
  const messages = vi.mocked(console.warn).mock.calls.map(([message]) => String(message));
  vi.mocked(console.warn).mockClear();
  return messages;
}

/** What came of a read in the program, over the connection of the engine's configuration. */
function reading(changes: Partial<ProgramRead> = {}, others: Partial<Omit<ProgramOrigin, "read">> = {}) {
  const { service, publicKey } = fingerprints();
  const read: ProgramRead = { readTarget: { id: ID, service }, publicKey, ...changes };
  return { name: "orders", read, secrets: [], ignoreChanges: [], ...others };
}

const ELSEWHERE = "0123456789abcdef";

it.each<[description: string, change: () => object, expected?: Properties]>([
  ["are recorded", () => ({}), INPUTS],
  [
    "are unknown as long as it is unknown where they are from",
    () => ({ __origin: UNKNOWN }),
    { ...UNKNOWN_SETTINGS, __readTarget: UNKNOWN },
  ],
  [
    "are not those of a project that a transform has named",
    () => ({ projectId: OTHER_PROJECT_ID }),
    { ...OWN, projectId: OTHER_PROJECT_ID },
  ],
  [
    "are of another agent",
    () => ({ __origin: reading({ readTarget: { ...reading().read.readTarget, id: `${PROJECT_ID}/backup` } }) }),
  ],
  [
    "are of another service than that of the engine's provider",
    () => ({ __origin: reading({ readTarget: { id: ID, service: ELSEWHERE } }) }),
  ],
  [
    "are read with another key than that of the engine's provider",
    () => ({ __origin: reading({ publicKey: ELSEWHERE }) }),
  ],
  ["were not read at all", () => ({ __origin: null })],
  ["can only be read by the engine", () => ({ __origin: { ...reading(), read: undefined } })],
  ["do not say where they are from", () => ({ __origin: { projectId: PROJECT_ID } })],
])("reads itself unless the settings are those of the record: they %s", async (_, change, expected = OWN) => {
  const { inputs, failures } = await check(CONFIGURATION, {}, { ...INPUTS, __origin: reading(), ...change() });
  const record = { ...INPUTS, ...expected };
  const __readTarget = `${record.projectId}/monitoring ${fingerprints().service}`;
  expect([failures, inputs]).toEqual([[], { __readTarget, ...record }]);
  expect(service.requests.length > 0).toBe(record.logPath === OWN.logPath);
});

it.each([
  ["itself if the program ignores a setting, whose old value the engine has sent", ["username", "logPath"], OWN],
  ["itself if the program ignores a threshold", ["logRotate.numTotal"], OWN],
  ["in the program if nothing is ignored", [], INPUTS],
])("reads for a record that moves to another project %s", async (_, ignoreChanges, { logPath }) => {
  const olds = { ...INPUTS, projectId: OTHER_PROJECT_ID, logPath: "/old" };
  const sent = ignoreChanges.length > 0 ? olds : INPUTS;
  const news = { ...INPUTS, logPath: sent.logPath, __origin: reading({}, { ignoreChanges }) };
  expect(await check(CONFIGURATION, olds, news)).toMatchObject({ inputs: { ...ARGS, logPath }, failures: [] });
});

it.each<[description: string, recorded: object | null, sent: object]>([
  ["an empty map for what the service does not have", {}, {}],
  ["an empty map in the place of a null in an older state", null, {}],
  ["a member that the engine has put back", { sizeThresholdMB: 1, numTotal: 5 }, { numTotal: 5 }],
])("records %s as it was sent", async (_, recorded, logRotate) => {
  const news = { ...INPUTS, logRotate, __origin: reading() };
  expect((await check(CONFIGURATION, { ...INPUTS, logRotate: recorded }, news)).inputs["logRotate"]).toEqual(logRotate);
});

it("keeps the recorded value of a setting that is ignored, whatever was sent", async () => {
  const news = { ...INPUTS, logPath: "/new", __origin: reading({}, { ignoreChanges: ["logPath"] }) };
  expect((await check(CONFIGURATION, { ...INPUTS, logPath: "/old" }, news)).inputs["logPath"]).toBe("/old");
});

it("does not compare a connection that the configuration leaves to the environment", async () => {
  const news = { ...INPUTS, __origin: reading() };
  configured = {};
  // The record is of the service that the program has read.
  const { inputs } = await check(CONFIGURATION, {}, news);
  expect(inputs).toEqual({ ...INPUTS, __readTarget: `${ID} ${news.__origin.read.readTarget.service}` });
});

it("quotes no argument or setting that is a secret in the program, which the engine does not tell", async () => {
  const failuresOf = async (news: object, secrets: readonly string[]) => {
    const { failures } = await check(CONFIGURATION, {}, { ...INPUTS, ...news, __origin: reading({}, { secrets }) });
    return failures.map(({ reason }) => reason).join();
  };
  const unmet = { expect: { logPath: "/m" } };
  expect(await failuresOf(unmet, [])).toContain('logPath is "/read/by/program", expected "/m"');
  expect(await failuresOf(unmet, ["logPath"])).toMatch(/monitoring: logPath is not as expected; /);
  const wrong = { whenUnexpected: "\u202Eshout" };
  expect(await failuresOf(wrong, [])).toContain('whenUnexpected must be "fail" or "warn", not "\uFFFDshout".');
  expect(await failuresOf(wrong, ["whenUnexpected"])).toMatch(/whenUnexpected must be "fail" or "warn"\.$/);
  const { failures } = await check(CONFIGURATION, {}, { ...INPUTS, ...wrong });
  // The engine would print the value of a property that is named.
  expect(failures).toEqual([{ property: "", reason: expect.not.stringContaining("shout") }]);
});

describe("a resource that fails", () => {
  const GONE = { message: "It is gone.", causeKey: "gone" } as const;
  const checked = (__failsIn: string | undefined, olds: object = {}) =>
    check(CONFIGURATION, { ...olds }, { ...INPUTS, __failsIn, __origin: reading({ failure: GONE }) });
  const UNKNOWN_READ = Object.fromEntries([...SETTING_NAMES, "__readTarget"].map((name) => [name, UNKNOWN]));

  it("is handed to the program of a preview, without settings if it is new and else with those that are recorded", async () => {
    const recorded = { ...INPUTS, logPath: "/recorded" };
    const failing = {
      ...ARGS,
      whenUnavailable: "fail",
      __failures: `findings: ${JSON.stringify([GONE])}`,
    };
    expect(await checked("program")).toEqual({ inputs: { ...UNKNOWN_READ, ...failing }, failures: [] });
    const ofOther = { ...recorded, projectId: OTHER_PROJECT_ID };
    expect(await checked("program", ofOther)).toEqual({ inputs: { ...UNKNOWN_READ, ...failing }, failures: [] });
    expect(await checked("program", recorded)).toEqual({ inputs: { ...recorded, ...failing }, failures: [] });
  });

  it("fails at once where no program reports and nothing is updated, as in a preview of a component provider", async () => {
    const { failures } = await checked(undefined);
    expect(failures).toEqual([{ property: "", reason: "It is gone." }]);
  });

  it.each(["update", "program"])("fails when it is created or updated, and is never replaced: %s", async (where) => {
    const { inputs, failures } = await checked(where);
    expect(failures).toEqual([]);
    const other = { ...INPUTS, projectId: OTHER_PROJECT_ID };
    expect(await diff(CONFIGURATION, ID, other, inputs)).toEqual({ changes: true });
    await expect(create(CONFIGURATION, inputs)).rejects.toThrow(/^It is gone\.$/);
    await expect(update(CONFIGURATION, ID, INPUTS, inputs)).rejects.toThrow(/^It is gone\.$/);
  });
});

it("records anew what the plugin has recorded, which has no provider in it, and nothing else that is the same", async () => {
  const __provider = "exports.handler";
  const made = { ...INPUTS, __provider };
  const news = { ...INPUTS, __provider, __readTarget: `${ID} 0123456789abcdef` };
  expect(await diff(CONFIGURATION, ID, made, news)).toEqual({ changes: false });
  expect(await diff(CONFIGURATION, ID, INPUTS, news)).toEqual({ changes: true });
});

it("warns once where a replacement is checked twice", async () => {
  const news = { ...INPUTS, expect: { logPath: "/other" }, whenUnexpected: "warn", __origin: reading() };
  for (const olds of [{ ...INPUTS, projectId: OTHER_PROJECT_ID }, {}]) await check(CONFIGURATION, olds, news);
  const what = 'AgentLogConfig orders: logPath is "/read/by/program", expected "/other"; change it';
  expect(warnings()).toEqual([expect.stringMatching(`^${what}`)]);
});

it.each([
  ["the engine's address", "", "", true],
  ["several words", "up ", "", false],
  ["a list of addresses, which gRPC would take", "ipv4:", ",127.0.0.1", false],
])("warns through the engine, or prints, where the first argument is %s", async (_, before, after, isShown) => {
  const engine = await startEngineLog();
  const { argv } = process;
  onTestFinished(() => {
    process.argv = argv;
  });
  process.argv = ["node", "host", `${before}${engine.address}${after}`, "another argument"];
  vi.resetModules();
  const host = await import("../../sdk/provider/dynamic-provider.ts");
  const news = { ...INPUTS, expect: { logPath: "/other" }, whenUnexpected: "warn", __origin: reading() };
  await host.check(CONFIGURATION, {}, { ...news, __origin: JSON.stringify(news.__origin) });
  const message = expect.stringContaining('expected "/other"');
  expect(engine.warnings).toEqual(isShown ? [{ urn: "", message }] : []);
  expect(warnings()).toEqual(isShown ? [] : [message]);
});

it("tells the reason once where projects are gone", async () => {
  service.respondWith(() => ({ status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' }));
  for (const digit of ["a", "b"]) {
    const id = `${digit.repeat(24)}/monitoring`;
    expect(await read(CONFIGURATION, id, { ...INPUTS, projectId: digit.repeat(24) })).toEqual({
      props: {},
      inputs: {},
    });
  }
  expect(warnings()).toEqual([
    expect.stringMatching(/^Can't read .*GROUP_NOT_FOUND.* AgentLogConfig a+\/monitoring is gone\.$/),
    expect.stringMatching(/^b+\/monitoring is gone, too \(status 404\)\.$/),
  ]);
});

it("warns of each of two fleets that have other projects by the same names", async () => {
  service.respondWith(() => ({ status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' }));
  for (const projectId of [PROJECT_ID, OTHER_PROJECT_ID]) {
    const configs = { "orders/monitoring": { projectId, agent: "monitoring" } };
    await read(CONFIGURATION, "fleet", { projects: { orders: projectId }, configs });
  }
  const warning = (projectId: string) => expect.stringMatching(`${projectId} .* fleet orders/monitoring is gone.$`);
  expect(warnings()).toEqual([warning(PROJECT_ID), warning(OTHER_PROJECT_ID)]);
});

it("tells the reason of an outage once", async () => {
  service.respondWith(() => ({ status: 503 }));
  for (const digit of ["0", "1"]) {
    const news = { projectId: digit.repeat(24), agent: "monitoring", whenUnavailable: "useRecorded" };
    const { inputs } = await check(CONFIGURATION, { ...INPUTS, ...news, __readTarget: null }, news);
    // A replacement is compared twice.
    for (const olds of [INPUTS, INPUTS]) await diff(CONFIGURATION, `${news.projectId}/monitoring`, olds, inputs);
  }
  expect(warnings()).toEqual([
    expect.stringMatching(/^Can't read .*status 503.* AgentLogConfig 0+\/monitoring uses the recorded settings\.$/),
    expect.stringMatching(/^1+\/monitoring uses its record, too \(status 503\)\.$/),
  ]);
});

it("fails a read without a stack trace, and with the id where the host prints the error", async () => {
  service.respondWith(() => ({ status: 403 }));
  const error: unknown = await read(CONFIGURATION, ID, INPUTS).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining("403"), stack: "status 403" });
  expect(String(error)).toBe(`AgentLogConfig ${ID}`);
  const next: unknown = await read(CONFIGURATION, ID.replace("0", "f"), INPUTS).catch((reason: unknown) => reason);
  expect(next).toMatchObject({
    message: `AgentLogConfig ${ID.replace("0", "f")} can't be read. The reason is the same as for ${ID}.`,
  });
  const forged: unknown = await read(CONFIGURATION, "x\u001b[2J", INPUTS).catch((reason: unknown) => reason);
  expect(String(forged)).toBe("AgentLogConfig x\uFFFD[2J");
});

it("says of each member of a fleet why it can't be read, also if a resource of its own fails for the same reason", async () => {
  service.respondWith(({ target }) => ({ status: target.includes(OTHER_PROJECT_ID) ? 403 : 404 }));
  await expect(read(CONFIGURATION, ID, INPUTS)).rejects.toThrow("404");
  const configs = { "one/monitoring": ARGS, "two/monitoring": { ...ARGS, projectId: OTHER_PROJECT_ID } };
  await expect(read(CONFIGURATION, "fleet", { projects: {}, configs })).rejects.toThrow(
    /\(status 404\).* resource one\/monitoring\.\n.*\(status 403\).* resource two\/monitoring\.$/,
  );
});

it("says of settings that are missing that a program's own environment does not reach it", async () => {
  configured = {};
  const says =
    /^Connection settings are missing: .* What a program sets in its own process\.env does not reach its provider\./;
  await expect(read(CONFIGURATION, ID, INPUTS)).rejects.toThrow(says);
});
