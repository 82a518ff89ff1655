import { describe, expect, it } from "vitest";
import type { AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { makeReport, type ProjectReport, type Report } from "../../sdk/command/make-report.ts";
import type { Findings } from "../../sdk/command/observe-connections.ts";

const [A, B] = ["0123456789abcdef01234567", "0123456789abcdef01234568"];
const SETTINGS: Findings = { settings: "from the environment: baseUrl" };
const OVER_TLS: Findings = { ...SETTINGS, name: "example.com", connection: "192.0.2.1 port 443", TLS: "TLSv1.3" };
const WITH_KEY: Findings = { ...OVER_TLS, challenge: 'Digest, realm "r"' };

function read(projectId = A): ProjectReport {
  return { projectId, status: "ok", monitoring: "/m", backup: "/b" };
}

function failed(code: AgentLogConfigErrorCode, projectId = A): ProjectReport {
  return { projectId, status: "failed", code, message: `the reason for ${code}`, temporary: false };
}

/** The status of each step, or the code where it failed. */
function statusesOf({ steps }: Report): Record<string, string> {
  return Object.fromEntries(steps.map(({ step, status, code }) => [step, code ?? status]));
}

describe("the report of one project", () => {
  it.each<{ seen: Findings; code: AgentLogConfigErrorCode; step: string; key?: string }>([
    { seen: WITH_KEY, code: "ERR_AUTHENTICATION", step: "challenge" },
    { seen: WITH_KEY, code: "ERR_ROLE_MISSING", step: "role", key: "ok" },
    { seen: WITH_KEY, code: "ERR_ACCESS_LIST", step: "role", key: "ok" },
    { seen: WITH_KEY, code: "ERR_PROJECT_NOT_FOUND", step: "role", key: "ok" },
    { seen: WITH_KEY, code: "ERR_NOT_AUTOMATED", step: "monitoring", key: "ok" },
    { seen: WITH_KEY, code: "ERR_UNSUPPORTED", step: "monitoring", key: "ok" },
    { seen: WITH_KEY, code: "ERR_UNAVAILABLE", step: "monitoring" },
    // The server has not asked for credentials.
    { seen: OVER_TLS, code: "ERR_PROJECT_NOT_FOUND", step: "role", key: "not asked for" },
    { seen: OVER_TLS, code: "ERR_UNAVAILABLE", step: "challenge" },
    { seen: SETTINGS, code: "ERR_CONNECTION", step: "name" },
    { seen: { ...SETTINGS, name: "127.0.0.1" }, code: "ERR_CONNECTION", step: "connection" },
    { seen: { ...SETTINGS, name: "p, a proxy", connection: "c" }, code: "ERR_PROXY", step: "connection" },
    { seen: { ...SETTINGS, name: "p, a proxy" }, code: "ERR_TLS", step: "connection" },
    { seen: { ...SETTINGS, name: "n", connection: "c" }, code: "ERR_TLS", step: "TLS" },
    { seen: { ...SETTINGS, name: "n", connection: "c" }, code: "ERR_CONNECTION", step: "TLS" },
    { seen: { ...SETTINGS, name: "n", connection: "c", isPlain: true }, code: "ERR_TIMEOUT", step: "challenge" },
  ])("fails with $code at $step after $seen", ({ seen, code, step, key = "not reached" }) => {
    const report = makeReport(seen, [failed(code)]);
    const index = report.steps.findIndex(({ status }) => status === "failed");
    expect(report.steps[index]).toEqual({ step, status: "failed", message: `the reason for ${code}`, code });
    expect(statusesOf(report)).toMatchObject({ key });
    expect(report.steps.slice(index + 1).filter(({ status }) => status !== "not reached")).toEqual([]);
    expect(report.ok).toBe(false);
  });

  it("claims neither a key nor a role where no credentials were sent", () => {
    const statuses = statusesOf(makeReport(OVER_TLS, [read()]));
    expect(statuses).toMatchObject({ challenge: "not asked for", key: "not asked for", role: "not asked for" });
    expect(statuses).toMatchObject({ TLS: "ok", monitoring: "ok", backup: "ok" });
  });
});

describe("the report of many projects", () => {
  const COMMON = ["settings", "name", "connection", "TLS", "challenge", "key"];

  it.each<{ code: AgentLogConfigErrorCode; steps: readonly string[] }>([
    { code: "ERR_WRONG_KEY", steps: COMMON },
    { code: "ERR_ACCESS_LIST", steps: [...COMMON, "role"] },
  ])("has the failed step of $code, with which every project would fail", ({ code, steps }) => {
    const report = makeReport(WITH_KEY, [failed(code, A), { projectId: B, status: "not reached" }]);
    expect(report.steps.map(({ step }) => step)).toEqual(steps);
    expect(Object.values(statusesOf(report))).toContain(code);
  });
});
