import { describe, expect, it, onTestFinished, vi } from "vitest";
import { check, create, diff, read } from "../../sdk/provider/dynamic-provider.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const CONFIGURATION = { get: () => undefined };
const RECORDED = {
  __provider: "text",
  projectId: PROJECT_ID,
  agent: "monitoring",
  logPath: "/recorded",
  logPathWindows: null,
  logRotate: { sizeThresholdMB: 1000 },
  username: null,
  configOverrides: null,
};

describe("check", () => {
  it.each([
    { description: "no problem", problem: null },
    { description: "a problem that is not known yet", problem: UNKNOWN },
  ])("records what was read, with $description", ({ problem }) => {
    expect(check(CONFIGURATION, {}, { ...RECORDED, __problem: problem })).toEqual({ inputs: RECORDED, failures: [] });
  });

  it("fails for each reason, and never names a property, whose value would be printed", () => {
    const { failures } = check(CONFIGURATION, {}, { ...RECORDED, __problem: { reasons: ["a", "b"], outage: false } });
    expect(failures).toEqual([
      { property: "", reason: "a" },
      { property: "", reason: "b" },
    ]);
  });

  const NOTHING = { ...RECORDED, logPath: null, logRotate: null, __problem: { reasons: ["down"], outage: true } };

  it("keeps the record in an outage where told to, and diff says how old it is", () => {
    const inputs = { ...RECORDED, whenUnavailable: "useRecorded" };
    const news = { ...NOTHING, whenUnavailable: "useRecorded" };
    expect(check(CONFIGURATION, RECORDED, news)).toEqual({ inputs, failures: [] });
    const lastReadAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
    expect(diff(CONFIGURATION, `${PROJECT_ID}/monitoring`, { ...inputs, __lastReadAt: lastReadAt }, inputs)).toEqual({
      changes: false,
    });
    expect(vi.mocked(console.warn).mock.calls).toEqual([
      [`AgentLogConfig ${PROJECT_ID}/monitoring uses the settings recorded 3 h ago (${lastReadAt}). down`],
    ]);
    vi.mocked(console.warn).mockClear();
  });

  it.each([
    { description: "it is not told to keep the record", olds: RECORDED, news: NOTHING },
    { description: "there is no record", olds: {}, news: { ...NOTHING, whenUnavailable: "useRecorded" } },
    {
      description: "the record is of another agent",
      olds: { ...RECORDED, agent: "backup" },
      news: { ...NOTHING, whenUnavailable: "useRecorded" },
    },
    {
      description: "the service refuses",
      olds: RECORDED,
      news: { ...NOTHING, whenUnavailable: "useRecorded", __problem: { reasons: ["no"], outage: false } },
    },
  ])("fails in an outage where $description", ({ olds, news }) => {
    expect(check(CONFIGURATION, olds, news).failures).toHaveLength(1);
  });
});

describe("diff", () => {
  it.each([
    { description: "nothing", news: RECORDED, expected: { changes: false } },
    {
      description: "the provider text alone",
      news: { ...RECORDED, __provider: "other" },
      expected: { changes: false },
    },
    { description: "a setting", news: { ...RECORDED, logPath: "/new" }, expected: { replaces: [] } },
    { description: "the agent", news: { ...RECORDED, agent: "backup" }, expected: { replaces: ["agent"] } },
    {
      description: "a project that is not known yet",
      news: { ...RECORDED, projectId: UNKNOWN },
      expected: { replaces: [] },
    },
  ])("of $description leaves to the engine what the engine can do", ({ news, expected }) => {
    const olds = { ...RECORDED, __lastReadAt: "2026-01-01T00:00:00.000Z" };
    expect(diff(CONFIGURATION, `${PROJECT_ID}/monitoring`, olds, news)).toEqual(expected);
  });
});

describe("create", () => {
  it("names the resource after project and agent, and says when it was read", () => {
    const { id, outs } = create(CONFIGURATION, RECORDED);
    expect(id).toBe(`${PROJECT_ID}/monitoring`);
    expect(outs).toMatchObject({ ...RECORDED, __lastReadAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) });
  });
});

describe("read", () => {
  const ID = `${PROJECT_ID}/monitoring`;

  async function open(): Promise<{ service: Service; configuration: { get(key: string): string | undefined } }> {
    const service = await startService();
    onTestFinished(() => service.close());
    service.set(PROJECT_ID, "monitoring", { logPath: "/read", configOverrides: { mmsApiKey: "k" } });
    const settings = new Map([
      ["agent-log-config:baseUrl", service.baseUrl],
      ["agent-log-config:publicKey", "publickey"],
      ["agent-log-config:privateKey", "private-key-0001"],
      ["agent-log-config:allowHttp", "true"],
      ["agent-log-config:maxRetries", "0"],
    ]);
    return { service, configuration: { get: (key) => settings.get(key) } };
  }

  it("gives what was read as inputs too, so that the next preview is empty", async () => {
    const { configuration } = await open();
    const { id, props, inputs } = await read(configuration, ID, {
      ...RECORDED,
      __lastReadAt: "2026-01-01T00:00:00.000Z",
    });
    expect(id).toBe(ID);
    expect(inputs).toEqual({
      ...RECORDED,
      logPath: "/read",
      logRotate: null,
      configOverrides: {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        value: { mmsApiKey: "k" },
      },
    });
    expect(props).toEqual({ ...inputs, __lastReadAt: expect.not.stringContaining("2026-01-01") });
  });

  it("takes a project for gone only on the service's own word", async () => {
    const { service, configuration } = await open();
    service.answerWith({ status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' });
    expect((await read(configuration, ID, RECORDED)).id).toBeUndefined();
    expect(vi.mocked(console.warn).mock.calls.flat()).toEqual([expect.stringContaining(`${ID} leaves the state`)]);
    vi.mocked(console.warn).mockClear();
    service.answerWith({ status: 404, body: "{}" });
    await expect(read(configuration, ID, RECORDED)).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
  });

  it("fails where a project to adopt is gone", async () => {
    const { service, configuration } = await open();
    service.answerWith({ status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' });
    await expect(read(configuration, ID, { __provider: "text" })).rejects.toMatchObject({
      code: "ERR_PROJECT_NOT_FOUND",
    });
  });

  it("refuses a malformed id", async () => {
    await expect(read(CONFIGURATION, "monitoring", {})).rejects.toThrow("not of the form <projectId>/<agent>");
  });
});
