import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  check as checkResource,
  diff,
  type Host,
  outputsOf,
  type Properties,
  readRecord,
} from "../../sdk/provider/resource-lifecycle.ts";
import { configurationKey, lookUpConnection, stackConfiguration } from "../../sdk/shared/connection-settings.ts";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { fingerprintsOf, type Problem, type Reading } from "../../sdk/shared/reading.ts";
import { SettingsReader } from "../../sdk/shared/settings-reader.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const OTHER_PROJECT_ID = "76543210fedcba9876543210";
const ID = `${PROJECT_ID}/monitoring`;
const LONG_AGO = "2026-01-01T00:00:00.000Z";
const NOTHING = { logPath: null, logPathWindows: null, logRotate: null, username: null, configOverrides: null };
/** What the program has read. */
const TRAVELLING = { ...NOTHING, logPath: "/read/by/program", logRotate: { sizeThresholdMB: 1000 } };
const INPUTS = { projectId: PROJECT_ID, agent: "monitoring", ...TRAVELLING };
/** What the provider finds if it reads itself. */
const OWN = { ...NOTHING, logPath: "/read/by/provider" };

let service: Service;
let configuration: Map<string, string>;
let host: Host;

beforeAll(async () => {
  service = await startService();
});

beforeEach(() => {
  for (const projectId of [PROJECT_ID, OTHER_PROJECT_ID])
    service.set(projectId, "monitoring", { logPath: OWN.logPath });
  configuration = new Map([
    [configurationKey("baseUrl"), service.baseUrl],
    [configurationKey("publicKey"), "publickey"],
    [configurationKey("privateKey"), "private-key-0001"],
    [configurationKey("allowHttp"), "true"],
    [configurationKey("maxRetries"), "0"],
  ]);
  const reader = new SettingsReader();
  host = {
    sources: [stackConfiguration((key) => configuration.get(key))],
    refreshAdvice: "This refresh used another connection.",
    read: (args) => reader.read(lookUpConnection(...host.sources), args),
  };
});

afterEach(() => service.respondWith(undefined));

afterAll(() => service.close());

const OUTAGE: Problem = { code: "ERR_UNAVAILABLE", message: "The service is down.", temporary: true, cause: "down" };
const REFUSAL: Problem = { code: "ERR_WRONG_KEY", message: "The key is wrong.", temporary: false, cause: "key" };

/** What came of a read in the program, over the connection of the engine's configuration. */
function reading(changes: Partial<Reading> = {}): Reading {
  const fingerprints = fingerprintsOf(lookUpConnection(...host.sources));
  return {
    projectId: PROJECT_ID,
    agent: "monitoring",
    fingerprints,
    problem: null,
    name: "resource",
    secrets: [],
    ignored: [],
    isPreview: true,
    report: [],
    ...changes,
  };
}

/** Checks, and returns the sentences of the failures and warnings. */
async function check(...args: Parameters<typeof checkResource>) {
  const { failures, warnings, record: _, read: __, ...checked } = await checkResource(...args);
  const messagesOf = (all: typeof failures) => all.map(({ message }) => message);
  return { ...checked, failures: messagesOf(failures), warnings: messagesOf(warnings) };
}

describe("check, for settings that the program has read", () => {
  it("records them without a read of its own", async () => {
    const before = service.requests.length;
    expect(await check(host, {}, { ...INPUTS, __reading: reading() }, [])).toEqual({
      inputs: recorded(INPUTS),
      failures: [],
      warnings: [],
    });
    expect(service.requests).toHaveLength(before);
  });

  it("does not compare a connection that the configuration leaves to the environment", async () => {
    const [news, inputs] = [{ ...INPUTS, __reading: reading() }, recorded(INPUTS)];
    configuration.clear();
    // The record is of the service that the program has read.
    expect(await check(host, {}, news, [])).toEqual({
      inputs,
      failures: [],
      warnings: [],
    });
  });

  it.each<{ description: string; change: () => Properties; expected?: Properties }>([
    {
      description: "a transform has changed the project",
      change: () => ({ projectId: OTHER_PROJECT_ID }),
      expected: { ...INPUTS, ...OWN, projectId: OTHER_PROJECT_ID },
    },
    { description: "they are of another agent", change: () => ({ __reading: reading({ agent: "backup" }) }) },
    {
      description: "the engine uses another provider, with another service",
      change: () => ({
        __reading: reading({ fingerprints: { ...reading().fingerprints, baseUrl: "0123456789abcdef" } }),
      }),
    },
    {
      description: "the engine uses another provider, with another key",
      change: () => ({
        __reading: reading({ fingerprints: { ...reading().fingerprints, publicKey: "0123456789abcdef" } }),
      }),
    },
    { description: "the program did not read at all", change: () => ({ __reading: null }) },
    { description: "a transform has removed what tells where they are from", change: () => ({ __reading: undefined }) },
    {
      description: "what tells where they are from is malformed",
      change: () => ({ __reading: { projectId: PROJECT_ID } }),
    },
  ])("reads anew where $description", async ({ change, expected = { ...INPUTS, ...OWN } }) => {
    const news = { ...INPUTS, __reading: reading(), ...change() };
    expect(await check(host, {}, news, [])).toEqual({ inputs: recorded(expected), failures: [], warnings: [] });
  });

  it("fails with one sentence where it has to read and has no connection", async () => {
    configuration.clear();
    const { failures } = await check(host, {}, { ...INPUTS, __reading: null }, []);
    expect(failures).toEqual([
      expect.stringMatching(/^Connection settings are missing: baseUrl, publicKey, privateKey\./),
    ]);
  });
});

describe("check, in a preview with unknown values", () => {
  it.each<{ description: string; change: () => Properties; expected: Properties }>([
    { description: "passes an unknown reading on", change: () => ({ __reading: UNKNOWN }), expected: INPUTS },
    {
      description: "makes the settings of an unknown project unknown",
      change: () => ({ projectId: UNKNOWN }),
      expected: unknownSettings({ projectId: UNKNOWN, agent: "monitoring" }),
    },
    {
      description: "makes the settings of an unknown agent unknown",
      change: () => ({ agent: UNKNOWN }),
      expected: unknownSettings({ projectId: PROJECT_ID, agent: UNKNOWN }),
    },
  ])("$description", async ({ change, expected }) => {
    const news = { ...INPUTS, __reading: reading(), ...change() };
    expect(await check(host, {}, news, [])).toEqual({ inputs: recorded(expected), failures: [], warnings: [] });
  });
});

describe("check, in an outage", () => {
  const RECORDED = () => recorded({ ...INPUTS, logPath: "/recorded" });
  const USE_RECORDED = { ...INPUTS, ...NOTHING, whenUnavailable: "useRecorded" };

  it("keeps the recorded settings where the program asks for it", async () => {
    const news = { ...USE_RECORDED, __reading: reading({ problem: OUTAGE }) };
    expect(await check(host, RECORDED(), news, [])).toEqual({
      inputs: { ...RECORDED(), whenUnavailable: "useRecorded" },
      failures: [],
      warnings: [],
      outage: OUTAGE,
    });
  });

  it("keeps the recorded settings where it has to read itself, and says why", async () => {
    service.respondWith({ status: 503 });
    const checked = await check(host, RECORDED(), { ...USE_RECORDED, __reading: null }, []);
    expect(checked).toMatchObject({ failures: [], outage: { message: expect.stringContaining("status 503") } });
    expect(checked.inputs).toMatchObject({ ...RECORDED(), whenUnavailable: "useRecorded" });
  });

  it("fails where it has to read itself and has no record, and tells of no outage", async () => {
    service.respondWith({ status: 503 });
    const checked = await checkResource(host, {}, { ...USE_RECORDED, __reading: null }, []);
    expect(checked.failures).toMatchObject([{ message: expect.stringContaining("status 503") }]);
    expect(checked).not.toHaveProperty("outage");
  });

  it("uses the record of the check before, where a replacement is checked without one", async () => {
    const news = { ...USE_RECORDED, __reading: reading({ problem: OUTAGE }) };
    const checked = await check({ ...host, before: await checkResource(host, RECORDED(), news, []) }, {}, news, []);
    expect(checked).toMatchObject({ inputs: RECORDED(), failures: [], outage: OUTAGE });
  });

  it("judges the recorded settings by what is expected", async () => {
    const news = { ...USE_RECORDED, expect: { logPath: "/srv" }, __reading: reading({ problem: OUTAGE }) };
    expect((await check(host, RECORDED(), news, [])).failures).toEqual([
      expect.stringMatching(/^AgentLogConfig \w+\/monitoring: logPath is "\/recorded", expected "\/srv"; change it in/),
    ]);
  });

  it.each<{ description: string; olds?: () => Properties; change?: Properties; problem?: Problem }>([
    { description: "the program does not ask for it", change: { whenUnavailable: undefined } },
    { description: "the program asks to fail", change: { whenUnavailable: "fail" } },
    { description: "nothing is recorded", olds: () => ({}) },
    { description: "the record is of another agent", olds: () => ({ ...RECORDED(), agent: "backup" }) },
    { description: "the record is of another project", olds: () => ({ ...RECORDED(), projectId: OTHER_PROJECT_ID }) },
    { description: "the service has refused the read", problem: REFUSAL },
  ])("fails where $description", async ({ olds = () => RECORDED(), change = {}, problem = OUTAGE }) => {
    const news = { ...USE_RECORDED, ...change, __reading: reading({ problem }) };
    expect((await check(host, olds(), news, [])).failures).toEqual([problem.message]);
  });

  it("fails and says so where the record is of another service", async () => {
    const olds = { ...RECORDED(), __service: "0123456789abcdef" };
    const { failures } = await check(host, olds, { ...USE_RECORDED, __reading: reading({ problem: OUTAGE }) }, []);
    expect(failures).toEqual([
      `${OUTAGE.message} The recorded settings come from another service, so they are not used.`,
    ]);
  });
});

describe("check, with expectations", () => {
  const UNMET = { logPath: "/srv", logRotate: { sizeThresholdMB: { atMost: 500 } }, username: null };
  const SENTENCES = [
    `AgentLogConfig ${ID}: logPath is "/read/by/program", expected "/srv"; change it in the service, or change expect.`,
    `AgentLogConfig ${ID}: logRotate.sizeThresholdMB is 1000, expected at most 500; change it in the service, or change expect.`,
  ];

  it("fails alike for two projects whose settings differ from what is expected in the same way", async () => {
    const causes = ["0", "1"].map(async (digit) => {
      const asked = {
        ...INPUTS,
        projectId: digit.repeat(24),
        expect: { logPath: "/srv" },
        logPath: "/read/by/program",
      };
      const news = { ...asked, __reading: reading({ projectId: asked.projectId }) };
      return (await checkResource(host, {}, news, [])).failures.map(({ cause }) => cause);
    });
    const [one, other] = await Promise.all(causes);
    expect(one).toEqual(other);
    expect(one).toHaveLength(1);
  });

  it("fails for each that is not met", async () => {
    const { inputs, failures } = await check(host, {}, { ...INPUTS, expect: UNMET, __reading: reading() }, []);
    expect(failures).toEqual(SENTENCES);
    expect(inputs).toMatchObject({ expect: UNMET, logPath: "/read/by/program" });
  });

  it("judges what it has read itself", async () => {
    const news = { ...INPUTS, expect: { logPath: OWN.logPath }, __reading: null };
    expect((await check(host, {}, news, [])).failures).toEqual([]);
  });

  it("does not quote settings that are secret", async () => {
    const news = { ...INPUTS, expect: UNMET, __reading: reading() };
    const { failures } = await check(host, {}, news, ["logPath", "logRotate"]);
    expect(failures).toEqual([
      expect.stringMatching(/: logPath is not as expected; /),
      expect.stringMatching(/: logRotate\.sizeThresholdMB is not as expected; /),
    ]);
  });

  it("warns with whenUnexpected: warn, whoever has written it", async () => {
    const news = { ...INPUTS, expect: UNMET, whenUnexpected: "warn", __reading: reading() };
    expect(await check(host, {}, news, [])).toMatchObject({ failures: [], warnings: SENTENCES });
  });

  it.each([
    ["whenUnavailable", "later", 'whenUnavailable must be "fail" or "useRecorded", not "later".'],
    ["whenUnexpected", 5, 'whenUnexpected must be "fail" or "warn", not 5.'],
    ["whenUnexpected", "\u202Ewarn", 'whenUnexpected must be "fail" or "warn", not "\uFFFDwarn".'],
    ["projectId", "orders", 'projectId must be 24 hexadecimal digits, not "orders".'],
    ["expect", { logPath: 5 }, "expect.logPath must be a string, not 5."],
  ])("refuses %s: %j", async (name, value, sentence) => {
    const news = { ...INPUTS, [name]: value, __reading: reading() };
    expect((await check(host, {}, news, [])).failures).toEqual([`Nothing was read: the argument ${sentence}`]);
  });

  it("does not quote a wrong argument that is secret", async () => {
    const news = { ...INPUTS, projectId: "hidden", whenUnexpected: "warns", __reading: null };
    const [failure] = (await check(host, {}, news, ["projectId"])).failures;
    expect(failure).toMatch(
      /projectId must be 24 hexadecimal digits; the argument whenUnexpected must be "fail" or "warn"\.$/,
    );
  });

  it.each(["whenUnavailable", "whenUnexpected"])("accepts an unknown %s", async (name) => {
    const news = { ...INPUTS, [name]: UNKNOWN, __reading: reading() };
    expect((await check(host, {}, news, [])).failures).toEqual([]);
  });
});

describe("diff", () => {
  it.each<{ description: string; news: Properties; expected: object }>([
    { description: "nothing", news: INPUTS, expected: { changes: false } },
    { description: "an absent value in the place of null", news: without("username"), expected: { changes: false } },
    { description: "the provider text alone", news: { ...INPUTS, __provider: "new" }, expected: { changes: false } },
    { description: "a setting", news: { ...INPUTS, logPath: "/new" }, expected: { replaces: [] } },
    { description: "the agent", news: { ...INPUTS, agent: "backup" }, expected: { replaces: ["agent"] } },
    {
      description: "the project",
      news: { ...INPUTS, projectId: OTHER_PROJECT_ID },
      expected: { replaces: ["projectId"] },
    },
    { description: "a project that is unknown", news: { ...INPUTS, projectId: UNKNOWN }, expected: { replaces: [] } },
  ])("leaves the comparison to the engine where what changes is $description", ({ news, expected }) => {
    expect(diff({ ...INPUTS, __provider: "text", __unchangedSince: LONG_AGO }, news)).toEqual(expected);
  });
});

describe("outputsOf", () => {
  const OLDS = { ...INPUTS, __unchangedSince: LONG_AGO };

  it("has the time of the first read", () => {
    expect(timeOf(outputsOf(INPUTS))).toBeGreaterThan(Date.now() - 60_000);
  });

  it("has a new time where the settings have changed", () => {
    expect(timeOf(outputsOf({ ...INPUTS, username: "u" }, OLDS))).toBeGreaterThan(Date.now() - 60_000);
  });

  it("keeps the time where the arguments alone have changed, as in an outage", () => {
    const inputs = { ...INPUTS, whenUnavailable: "useRecorded" };
    expect(outputsOf(inputs, OLDS)).toEqual({ ...inputs, __unchangedSince: LONG_AGO });
  });
});

describe("readRecord", () => {
  const RECORDED = { ...INPUTS, logPath: "/recorded", expect: { username: null }, __unchangedSince: LONG_AGO };
  const GONE = { status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' };

  it("returns what it reads as inputs too, so that the next preview is empty", async () => {
    const { id, inputs, outputs } = await readRecord(host, ID, RECORDED, "made");
    expect(id).toBe(ID);
    expect(inputs).toEqual(recorded({ ...INPUTS, ...OWN, expect: { username: null } }));
    expect(outputs).toEqual({ ...INPUTS, ...OWN, expect: { username: null }, __unchangedSince: expect.any(String) });
    expect(timeOf(outputs)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("reads a resource that is not in the state", async () => {
    const { inputs, outputs } = await readRecord(host, ID, { __provider: "text" }, "new");
    const found = { __provider: "text", projectId: PROJECT_ID, agent: "monitoring", ...OWN };
    expect(inputs).toEqual(recorded(found));
    expect(outputs).toEqual({ ...found, __unchangedSince: expect.any(String) });
  });

  it("has no inputs for an adopted resource, and the same outputs as long as its settings are the same", async () => {
    const { outputs } = await readRecord(host, ID, { __provider: "text" }, "new");
    const adopted = { ...outputs, __unchangedSince: LONG_AGO };
    expect(await readRecord(host, ID, adopted, "adopted")).toEqual({ id: ID, inputs: {}, outputs: adopted });
    service.set(PROJECT_ID, "monitoring", { logPath: "/changed" });
    expect(timeOf((await readRecord(host, ID, adopted, "adopted")).outputs)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("removes a resource only where the service says that the project does not exist", async () => {
    service.respondWith(GONE);
    expect(await readRecord(host, ID, RECORDED, "made")).toMatchObject({
      inputs: {},
      outputs: {},
      warning: { message: expect.stringMatching(`^AgentLogConfig ${ID} is gone\\.`) },
    });
    service.respondWith({ status: 404, body: "<html>" });
    await expect(readRecord(host, ID, RECORDED, "made")).rejects.toThrow("404");
  });

  it("fails where a project to adopt does not exist", async () => {
    service.respondWith(GONE);
    await expect(readRecord(host, ID, {}, "new")).rejects.toThrow("GROUP_NOT_FOUND");
  });

  it("keeps the record in an outage where the program asks for it, and says its age", async () => {
    service.respondWith({ status: 503 });
    const unchangedSince = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const recorded = { ...RECORDED, whenUnavailable: "useRecorded", __unchangedSince: unchangedSince };
    // Without inputs the engine keeps the recorded ones, and with them the service that they are of.
    expect(await readRecord(host, ID, recorded, "made")).toEqual({
      id: ID,
      outputs: recorded,
      warning: { message: expect.stringContaining("status 503"), cause: expect.any(String), unchangedSince },
    });
  });

  it.each([
    { description: "the key has changed", status: 401, hasAdvice: true },
    { description: "the address has changed", status: 404, hasAdvice: true },
    { description: "the key lacks a role", status: 403, hasAdvice: false },
    { description: "the service fails", status: 503, hasAdvice: false },
  ])("says first which connection was used where that may help: $description", async ({ status, hasAdvice }) => {
    service.respondWith({ status, body: "{}" });
    const failed = readRecord(host, ID, RECORDED, "made");
    await expect(failed).rejects.toThrow(String(status));
    const first = hasAdvice ? /^This refresh used another connection\. Can't read/ : /^Can't read/;
    await expect(failed).rejects.toThrow(first);
  });

  it("refuses settings that the engine would not take for data", async () => {
    const configOverrides = { deep: { [SIGNATURE_KEY]: "c44067f5952c0a294b673a41bacd8c17", path: "/etc/passwd" } };
    service.set(PROJECT_ID, "monitoring", { configOverrides });
    await expect(readRecord(host, ID, RECORDED, "made")).rejects.toThrow(
      "configOverrides has the key by which Pulumi marks",
    );
  });

  it("refuses a malformed id", async () => {
    await expect(readRecord(host, "monitoring", {}, "new")).rejects.toThrow(
      "does not have the form <projectId>/<agent>",
    );
  });
});

/** Inputs as they are recorded, with the service that they were read from. */
function recorded(inputs: Properties): Properties {
  return { ...inputs, __service: fingerprintsOf(lookUpConnection(...host.sources)).baseUrl };
}

function unknownSettings(properties: Properties): Properties {
  return { ...properties, ...Object.fromEntries(Object.keys(NOTHING).map((name) => [name, UNKNOWN])) };
}

function without(name: keyof typeof INPUTS): Properties {
  return Object.fromEntries(Object.entries(INPUTS).filter(([key]) => key !== name));
}

function timeOf({ __unchangedSince }: Properties): number {
  return Date.parse(String(__unchangedSince));
}
