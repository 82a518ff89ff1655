import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/errors.ts";
import { check, create, diff, read, update } from "../../sdk/provider/dynamic-provider.ts";
import { replaceClients } from "../../sdk/shared/read-settings.ts";
import { answerReads } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const ID = `${PROJECT_ID}/monitoring`;
const CONFIGURATION = { get: () => undefined };
const SETTINGS = { logPath: "/l", logPathWindows: null, logRotate: null, username: null, configOverrides: null };
const INPUTS = { projectId: PROJECT_ID, agent: "monitoring", ...SETTINGS };

it("never names a property in a failure, because the engine would print its value", async () => {
  const { failures } = await check(CONFIGURATION, {}, { ...INPUTS, whenUnexpected: "shout" });
  expect(failures).toEqual([{ property: "", reason: expect.stringContaining("whenUnexpected must be") }]);
});

it("does not quote settings that are secret in the program, which the engine does not tell", async () => {
  const reading = {
    projectId: PROJECT_ID,
    agent: "monitoring",
    fingerprints: {},
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
  const outage = new AgentLogConfigError("ERR_UNAVAILABLE", "the service failed", { subject: "Can't read" });
  onTestFinished(replaceClients({ get: () => Promise.reject(outage) }));
  const unchangedSince = "2026-01-01T00:00:00.000Z";
  for (const digit of ["0", "1"]) {
    const news = { projectId: digit.repeat(24), agent: "monitoring", whenUnavailable: "useRecorded" };
    const olds = { ...INPUTS, ...news, __service: null };
    expect(await check(CONFIGURATION, olds, news)).toEqual({ inputs: olds, failures: [] });
    await diff(CONFIGURATION, `${news.projectId}/monitoring`, { ...olds, __unchangedSince: unchangedSince }, olds);
  }
  const warnings = vi.mocked(console.warn).mock.calls.map(([message]) => String(message));
  vi.mocked(console.warn).mockClear();
  const uses = (digit: string) =>
    `AgentLogConfig ${digit.repeat(24)}/monitoring uses the recorded settings, which were`;
  expect(warnings).toEqual([
    expect.stringMatching(`^${uses("0")} first read .* \\(${unchangedSince}\\)\\. Can't read: the service failed`),
    expect.stringMatching(`^${uses("1")} first read .* \\(${unchangedSince}\\)\\.$`),
  ]);
});

describe("a resource that fails", () => {
  const GONE = { code: "ERR_PROJECT_NOT_FOUND", message: "It is gone.", temporary: false, cause: "gone" };
  const reading = { name: "r", projectId: PROJECT_ID, agent: "monitoring", fingerprints: {}, secrets: [], ignored: [] };
  const news = (isPreview: boolean, report: readonly object[]) => ({
    ...INPUTS,
    __reading: { ...reading, problem: GONE, isPreview, report },
  });

  it("reports for all in a preview, each cause once", async () => {
    const report = [
      { cause: "gone", resource: "r", message: "It is gone. The same is true of 1 more: s." },
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
  onTestFinished(answerReads({ [PROJECT_ID]: { monitoring: { logPath: "/l", configOverrides: { a: 1 } } } }));
  const secret = {
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: { a: 1 },
  };
  const { id, props, inputs } = await read(CONFIGURATION, ID, INPUTS);
  expect({ id, inputs }).toEqual({ id: ID, inputs: { ...INPUTS, configOverrides: secret, __service: null } });
  expect(props).toMatchObject({ logPath: "/l", configOverrides: secret });
});

it("removes a resource by returning no id, with a warning that the host prints", async () => {
  onTestFinished(answerReads({}));
  expect(await read(CONFIGURATION, ID, INPUTS)).toEqual({ props: {}, inputs: {} });
  expect(vi.mocked(console.warn).mock.calls).toEqual([[expect.stringContaining(`AgentLogConfig ${ID} is gone.`)]]);
  vi.mocked(console.warn).mockClear();
});

it("fails a read without a stack trace, and with the id where the host prints the error", async () => {
  onTestFinished(replaceClients({ get: () => Promise.reject(new Error("no route")) }));
  const error: unknown = await read(CONFIGURATION, ID, INPUTS).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: "no route", stack: "it could not be read" });
  expect(String(error)).toBe(`AgentLogConfig ${ID}`);
  const next: unknown = await read(CONFIGURATION, ID.replace("0", "f"), INPUTS).catch((reason: unknown) => reason);
  expect(next).toMatchObject({ message: `The reason is the same as for ${ID}.` });
});

it("shows nothing of a forged id that a terminal would obey", async () => {
  const error: unknown = await read(CONFIGURATION, "x\u001b[2J", INPUTS).catch((reason: unknown) => reason);
  expect(`${error} ${error instanceof Error ? error.message : ""}`).toMatch(/^AgentLogConfig x\uFFFD\[2J The id /);
});

it("knows a resource that was adopted when it reads it again, since it has no inputs then", async () => {
  onTestFinished(answerReads({ [PROJECT_ID]: { monitoring: { logPath: "/l" } } }));
  const { props } = await read(CONFIGURATION, ID, {});
  // The host sends what is secret in clear.
  const sent = { ...props, configOverrides: null };
  expect(await read(CONFIGURATION, ID, sent)).toEqual({ id: ID, props, inputs: {} });
});
