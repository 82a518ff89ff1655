import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { check, create, diff, read, update } from "../../sdk/provider/dynamic-provider.ts";
import { lookUpConnection, stackConfiguration } from "../../sdk/shared/connection-settings.ts";
import { fingerprintsOf } from "../../sdk/shared/reading.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const ID = `${PROJECT_ID}/monitoring`;
const SETTINGS = { logPath: "/l", logPathWindows: null, logRotate: null, username: null, configOverrides: null };
const INPUTS = { projectId: PROJECT_ID, agent: "monitoring", ...SETTINGS };

let service: Service;
let configured: Readonly<Record<string, string>>;
const CONFIGURATION = { get: (key: string) => configured[key.replace("agent-log-config:", "")] };

beforeAll(async () => {
  service = await startService();
  const { baseUrl } = service;
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  configured = { baseUrl, ...key, allowHttp: "true", maxRetries: "0" };
});

afterEach(() => {
  service.respondWith(undefined);
  service.set(PROJECT_ID, "monitoring", undefined);
});

afterAll(() => service.close());

it("never names a property in a failure, because the engine would print its value", async () => {
  const { failures } = await check(CONFIGURATION, {}, { ...INPUTS, whenUnexpected: "shout" });
  expect(failures).toEqual([{ property: "", reason: expect.stringContaining("whenUnexpected must be") }]);
});

it("does not quote settings that are secret in the program, which the engine does not tell", async () => {
  const reading = {
    projectId: PROJECT_ID,
    agent: "monitoring",
    fingerprints: fingerprintsOf(lookUpConnection(stackConfiguration(CONFIGURATION.get))),
    problem: null,
    ignored: [],
    name: "r",
    isPreview: true,
    report: [],
  };
  const news = { ...INPUTS, expect: { logPath: "/m" }, __reading: { ...reading, secrets: ["logPath"] } };
  expect((await check(CONFIGURATION, {}, news)).failures).toEqual([
    { property: "", reason: expect.stringMatching(/^AgentLogConfig \w+\/monitoring: logPath is not as expected; /) },
  ]);
});

it("names a new resource after its project and agent", async () => {
  expect(await create(CONFIGURATION, INPUTS)).toEqual({
    id: ID,
    outs: { ...INPUTS, __unchangedSince: expect.any(String) },
  });
});

it("keeps the time of the last read in an update that reads nothing new", async () => {
  const olds = { ...INPUTS, __unchangedSince: "2026-01-01T00:00:00.000Z" };
  const news = { ...INPUTS, whenUnexpected: "warn" };
  expect(await update(CONFIGURATION, ID, olds, news)).toEqual({ outs: { ...olds, whenUnexpected: "warn" } });
});

it("warns of an outage in which it uses the record, with its age and with the reason once", async () => {
  service.respondWith({ status: 503 });
  const unchangedSince = "2026-01-01T00:00:00.000Z";
  for (const digit of ["0", "1"]) {
    const news = { projectId: digit.repeat(24), agent: "monitoring", whenUnavailable: "useRecorded" };
    const { inputs, failures } = await check(CONFIGURATION, { ...INPUTS, ...news, __service: null }, news);
    expect(failures).toEqual([]);
    await diff(CONFIGURATION, `${news.projectId}/monitoring`, { ...inputs, __unchangedSince: unchangedSince }, inputs);
  }
  const warnings = vi.mocked(console.warn).mock.calls.map(([message]) => String(message));
  vi.mocked(console.warn).mockClear();
  const uses = (digit: string) =>
    `AgentLogConfig ${digit.repeat(24)}/monitoring uses the recorded settings, which were`;
  expect(warnings).toEqual([
    expect.stringMatching(
      `^${uses("0")} first read .* \\(${unchangedSince}\\)\\. Can't read the monitoring agent's .*status 503`,
    ),
    expect.stringMatching(`^${uses("1")} first read .* \\(${unchangedSince}\\)\\.$`),
  ]);
});

describe("a resource that fails", () => {
  const GONE = { code: "ERR_PROJECT_NOT_FOUND", message: "It is gone.", temporary: false, cause: "gone" };
  const news = (isPreview: boolean, report: readonly object[]) => {
    const fingerprints = fingerprintsOf(lookUpConnection(stackConfiguration(CONFIGURATION.get)));
    const reading = { name: "r", projectId: PROJECT_ID, agent: "monitoring", fingerprints, secrets: [], ignored: [] };
    return { ...INPUTS, __reading: { ...reading, problem: GONE, isPreview, report } };
  };

  it("reports for all in a preview, each cause once", async () => {
    const report = [
      { cause: "gone", resource: "r", message: "It is gone. The same applies to s." },
      { cause: "key", resource: "t", message: "t: The key is wrong." },
    ];
    const { failures } = await check(CONFIGURATION, {}, news(true, report));
    expect(failures.map(({ reason }) => reason)).toEqual(report.map(({ message }) => message));
  });

  it("fails in an update when it is created or updated, which the engine can go on after, and is never replaced", async () => {
    const { inputs, failures } = await check(CONFIGURATION, {}, news(false, []));
    expect(failures).toEqual([]);
    const other = { ...INPUTS, projectId: "f".repeat(24) };
    expect(await diff(CONFIGURATION, ID, other, inputs)).toEqual({ changes: true });
    await expect(create(CONFIGURATION, inputs)).rejects.toThrow(/^It is gone\.$/);
    await expect(update(CONFIGURATION, ID, INPUTS, inputs)).rejects.toThrow(/^It is gone\.$/);
  });
});

it("marks configOverrides as a secret in what it reads", async () => {
  service.set(PROJECT_ID, "monitoring", { logPath: "/l", configOverrides: { a: 1 } });
  const secret = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: { a: 1 },
  };
  const { id, props, inputs } = await read(CONFIGURATION, ID, INPUTS);
  expect({ id, inputs }).toEqual({
    id: ID,
    inputs: { ...INPUTS, configOverrides: secret, __service: expect.any(String) },
  });
  expect(props).toMatchObject({ logPath: "/l", configOverrides: secret });
});

it("removes a resource by returning no id, with a warning that the host prints", async () => {
  expect(await read(CONFIGURATION, ID, INPUTS)).toEqual({ props: {}, inputs: {} });
  expect(vi.mocked(console.warn).mock.calls).toEqual([[expect.stringContaining(`AgentLogConfig ${ID} is gone.`)]]);
  vi.mocked(console.warn).mockClear();
});

it("fails a read without a stack trace, and with the id where the host prints the error", async () => {
  service.respondWith({ status: 403 });
  const error: unknown = await read(CONFIGURATION, ID, INPUTS).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: expect.stringContaining("403"), stack: "it could not be read" });
  expect(String(error)).toBe(`AgentLogConfig ${ID}`);
  const next: unknown = await read(CONFIGURATION, ID.replace("0", "f"), INPUTS).catch((reason: unknown) => reason);
  expect(next).toMatchObject({ message: `The reason is the same as for ${ID}.` });
});

it("shows nothing of a forged id that a terminal would obey", async () => {
  const error: unknown = await read(CONFIGURATION, "x\u001b[2J", INPUTS).catch((reason: unknown) => reason);
  expect(`${error} ${error instanceof Error ? error.message : ""}`).toMatch(/^AgentLogConfig x\uFFFD\[2J The id /);
});

it("knows a resource that was adopted when it reads it again, since it has no inputs then", async () => {
  service.set(PROJECT_ID, "monitoring", { logPath: "/l" });
  const { props } = await read(CONFIGURATION, ID, {});
  // The host sends what is secret in clear.
  const sent = { ...props, configOverrides: null };
  expect(await read(CONFIGURATION, ID, sent)).toEqual({ id: ID, props, inputs: {} });
});
