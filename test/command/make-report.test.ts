import { describe, expect, it } from "vitest";
import type { AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { makeReport, type ProjectReport, type Report } from "../../sdk/command/make-report.ts";
import type { Findings } from "../../sdk/command/observe-connections.ts";

const [A, B, C] = ["0123456789abcdef01234567", "0123456789abcdef01234568", "0123456789abcdef01234569"];
const SETTINGS: Findings = { settings: "from the environment: baseUrl" };
const OVER_TLS: Findings = { ...SETTINGS, name: "example.com", connection: "192.0.2.1 port 443", TLS: "TLSv1.3" };
const WITH_KEY: Findings = { ...OVER_TLS, challenge: 'Digest, realm "r"' };

function read(projectId = A): ProjectReport {
  return { projectId, status: "ok", monitoring: "/m", backup: "/b" };
}

function failed(code: AgentLogConfigErrorCode, projectId = A): ProjectReport {
  return { projectId, status: "failed", code, message: `the reason for ${code}`, temporary: false };
}

function notReached(projectId: string): ProjectReport {
  return { projectId, status: "not reached" };
}

/** The status of each step, or the code where it failed. */
function statusesOf({ steps }: Report): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, status, code }) => [step, code ?? status]));
}

function failedStepOf({ steps }: Report): string | undefined {
  return steps.find(({ status }) => status === "failed")?.step;
}

describe("the report of one project", () => {
  it("says what was found in each step", () => {
    expect(makeReport(WITH_KEY, [read()])).toEqual({
      ok: true,
      steps: [
        { step: "settings", status: "ok", message: "from the environment: baseUrl" },
        { step: "name", status: "ok", message: "example.com" },
        { step: "connection", status: "ok", message: "192.0.2.1 port 443" },
        { step: "TLS", status: "ok", message: "TLSv1.3" },
        { step: "challenge", status: "ok", message: 'Digest, realm "r"' },
        { step: "key", status: "ok", message: "accepted" },
        { step: "role", status: "ok", message: "sufficient" },
        { step: "monitoring", status: "ok", message: "it logs to /m" },
        { step: "backup", status: "ok", message: "it logs to /b" },
      ],
      projects: [read()],
    });
  });

  it("says of plain http that the settings travel unencrypted", () => {
    const { TLS: _, ...plain } = WITH_KEY;
    const { steps } = makeReport({ ...plain, isPlain: true }, [read()]);
    const message = "the address is plain http, so the settings travel unencrypted";
    expect(steps[3]).toEqual({ step: "TLS", status: "not asked for", message });
  });

  it("claims neither a key nor a role where no credentials were sent", () => {
    const { steps } = makeReport(OVER_TLS, [read()]);
    expect(steps.slice(4, 8)).toEqual([
      { step: "challenge", status: "not asked for", message: "the server responds without credentials" },
      { step: "key", status: "not asked for", message: "" },
      { step: "role", status: "not asked for", message: "" },
      { step: "monitoring", status: "ok", message: "it logs to /m" },
    ]);
  });

  it.each<{ code: AgentLogConfigErrorCode; step: string; key: string }>([
    { code: "ERR_AUTHENTICATION", step: "challenge", key: "not reached" },
    { code: "ERR_WRONG_KEY", step: "key", key: "ERR_WRONG_KEY" },
    { code: "ERR_NOT_A_MEMBER", step: "role", key: "ok" },
    { code: "ERR_ROLE_MISSING", step: "role", key: "ok" },
    { code: "ERR_ACCESS_LIST", step: "role", key: "ok" },
    { code: "ERR_PROJECT_NOT_FOUND", step: "role", key: "ok" },
    { code: "ERR_NOT_AUTOMATED", step: "monitoring", key: "ok" },
    { code: "ERR_UNSUPPORTED", step: "monitoring", key: "ok" },
    { code: "ERR_UNAVAILABLE", step: "monitoring", key: "not reached" },
    { code: "ERR_RATE_LIMITED", step: "monitoring", key: "not reached" },
    { code: "ERR_NOT_FOUND", step: "monitoring", key: "not reached" },
    { code: "ERR_CONNECTION", step: "monitoring", key: "not reached" },
    { code: "ERR_INVALID_RESPONSE", step: "monitoring", key: "not reached" },
  ])("fails with $code at $step once credentials were sent, and says of the key: $key", ({ code, step, key }) => {
    const report = makeReport(WITH_KEY, [failed(code)]);
    const statuses = statusesOf(report);
    expect(report.ok).toBe(false);
    expect(statuses).toMatchObject({ settings: "ok", TLS: "ok", key, [step]: code, backup: "not reached" });
    expect(Object.values(statuses).filter((status) => status.startsWith("ERR"))).toEqual([code]);
    expect(statuses["role"]).toBe(step === "role" ? code : "not reached");
    expect(report.steps.find((each) => each.step === step)).toEqual({
      step,
      status: "failed",
      message: `the reason for ${code}`,
      code,
    });
  });

  it.each<{ description: string; seen: Findings; code: AgentLogConfigErrorCode; step: string }>([
    { description: "missing settings", seen: {}, code: "ERR_MISSING_SETTINGS", step: "settings" },
    { description: "a stack that can't be read", seen: {}, code: "ERR_STACK", step: "settings" },
    { description: "an unknown name", seen: SETTINGS, code: "ERR_CONNECTION", step: "name" },
    {
      description: "an address that nothing listens at",
      seen: { ...SETTINGS, name: "127.0.0.1" },
      code: "ERR_CONNECTION",
      step: "connection",
    },
    {
      description: "a proxy that refuses",
      seen: { ...SETTINGS, name: "p, a proxy", connection: "c" },
      code: "ERR_PROXY",
      step: "connection",
    },
    {
      description: "a proxy's own certificate",
      seen: { ...SETTINGS, name: "p, a proxy" },
      code: "ERR_TLS",
      step: "connection",
    },
    {
      description: "a certificate of the service",
      seen: { ...SETTINGS, name: "n", connection: "c" },
      code: "ERR_TLS",
      step: "TLS",
    },
    {
      description: "a connection that is cut in the handshake",
      seen: { ...SETTINGS, name: "n", connection: "c" },
      code: "ERR_CONNECTION",
      step: "TLS",
    },
    { description: "an outage before any challenge", seen: OVER_TLS, code: "ERR_UNAVAILABLE", step: "challenge" },
    {
      description: "silence over plain http",
      seen: { ...SETTINGS, name: "n", connection: "c", isPlain: true },
      code: "ERR_TIMEOUT",
      step: "challenge",
    },
  ])("fails for $description at $step, and reaches nothing after it", ({ seen, code, step }) => {
    const report = makeReport(seen, [failed(code)]);
    const names: readonly string[] = report.steps.map((each) => each.step);
    expect(failedStepOf(report)).toBe(step);
    const after = report.steps.slice(names.indexOf(step) + 1);
    expect(after.filter(({ status }) => status !== "not reached")).toEqual([]);
  });

  it("fails with a refusal of an open server in its step, without a word of a key", () => {
    expect(statusesOf(makeReport(OVER_TLS, [failed("ERR_PROJECT_NOT_FOUND")]))).toMatchObject({
      challenge: "not asked for",
      key: "not asked for",
      role: "ERR_PROJECT_NOT_FOUND",
      monitoring: "not reached",
    });
  });

  it.each<AgentLogConfigErrorCode>(["ERR_PROJECT_NOT_FOUND", "ERR_TLS", "ERR_UNAVAILABLE", "ERR_WRONG_KEY"])(
    "fails at backup with %s once monitoring was read",
    (code) => {
      const report = makeReport(WITH_KEY, [{ ...failed(code), monitoring: "/m" }]);
      expect(statusesOf(report)).toMatchObject({ key: "ok", role: "ok", monitoring: "ok", backup: code });
    },
  );

  it("has the warning beside the steps", () => {
    expect(makeReport({ ...SETTINGS, warning: "w" }, [failed("ERR_CONNECTION")])).toMatchObject({ warning: "w" });
  });
});

describe("the report of many projects", () => {
  const COMMON = ["settings", "name", "connection", "TLS", "challenge", "key"];

  it.each<{ description: string; projects: readonly ProjectReport[]; ok: boolean; key: string }>([
    { description: "all are read", projects: [read(A), read(B)], ok: true, key: "ok" },
    {
      description: "the first one is gone",
      projects: [failed("ERR_PROJECT_NOT_FOUND", A), read(B)],
      ok: false,
      key: "ok",
    },
    { description: "the last one is gone", projects: [read(A), failed("ERR_NOT_A_MEMBER", B)], ok: false, key: "ok" },
    {
      description: "all fail",
      projects: [failed("ERR_NOT_FOUND", A), failed("ERR_REFUSED", B)],
      ok: false,
      key: "not reached",
    },
    {
      description: "the first one fails in an outage",
      projects: [failed("ERR_UNAVAILABLE", A), read(B)],
      ok: false,
      key: "ok",
    },
    {
      description: "a key is refused after a project was read",
      projects: [failed("ERR_ACCESS_LIST", A), read(B)],
      ok: false,
      key: "ok",
    },
  ])("has the steps that they have in common where $description", ({ projects, ok, key }) => {
    const report = makeReport(WITH_KEY, projects);
    expect(report.steps.map(({ step }) => step)).toEqual(COMMON);
    expect(statusesOf(report)).toMatchObject({ key });
    expect(failedStepOf(report)).toBeUndefined();
    expect(report).toMatchObject({ ok, projects });
  });

  it.each<{ code: AgentLogConfigErrorCode; seen: Findings; steps: readonly string[] }>([
    { code: "ERR_MISSING_SETTINGS", seen: {}, steps: COMMON },
    { code: "ERR_WRONG_KEY", seen: WITH_KEY, steps: COMMON },
    { code: "ERR_ACCESS_LIST", seen: WITH_KEY, steps: [...COMMON, "role"] },
  ])("has the failed step of $code, with which every project would fail", ({ code, seen, steps }) => {
    const report = makeReport(seen, [failed(code, A), notReached(B), notReached(C)]);
    expect(report.steps.map(({ step }) => step)).toEqual(steps);
    expect(Object.values(statusesOf(report))).toContain(code);
    expect(report.ok).toBe(false);
  });

  it("takes nothing from a malformed id", () => {
    const malformed = failed("ERR_INVALID_ARG_VALUE", "12");
    expect(statusesOf(makeReport(SETTINGS, [malformed, failed("ERR_INVALID_ARG_VALUE", "zz")]))).toEqual({
      settings: "ok",
      ...Object.fromEntries(COMMON.slice(1).map((step) => [step, "not reached"])),
    });
    expect(statusesOf(makeReport(WITH_KEY, [malformed, failed("ERR_ACCESS_LIST", A)]))).toMatchObject({
      role: "ERR_ACCESS_LIST",
    });
  });

  it("is ok for no project at all", () => {
    expect(makeReport({}, [])).toMatchObject({ ok: true, projects: [] });
  });
});
