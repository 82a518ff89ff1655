import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ProjectReport, Report, Step } from "../../sdk/command/make-report.ts";
import { renderReport } from "../../sdk/command/render-report.ts";

const IDS = Array.from({ length: 6 }, (_, index) => String(index).padStart(24, "0"));
const [A = "", B = "", C = ""] = IDS;
const FOUND: Step = { step: "key", status: "ok", message: "accepted" };
const FAILED: Step = { step: "key", status: "failed", message: "wrong; check it", code: "ERR_WRONG_KEY" };

function read(projectId: string): ProjectReport {
  return { projectId, status: "ok", monitoring: "/m", backup: "/b" };
}

function gone(projectId: string): ProjectReport {
  return { projectId, status: "failed", code: "ERR_PROJECT_NOT_FOUND", message: `Can't read ${projectId}: none.` };
}

function notReached(projectId: string): ProjectReport {
  return { projectId, status: "not reached" };
}

function linesOf(report: Omit<Report, "ok">): readonly string[] {
  const text = renderReport({ ok: false, ...report });
  expect(text.endsWith("\n")).toBe(true);
  return stripVTControlCharacters(text).slice(0, -1).split("\n");
}

describe("for one project", () => {
  it.each<{ step: Step; line: string }>([
    { step: FOUND, line: "✓ key         accepted" },
    { step: FAILED, line: "✗ key         wrong; check it" },
    {
      step: { step: "challenge", status: "not asked for", message: "the server does not care" },
      line: "- challenge   not asked for: the server does not care",
    },
    { step: { step: "monitoring", status: "not reached", message: "" }, line: "- monitoring  not reached" },
  ])("a step is the line $line", ({ step, line }) => {
    expect(linesOf({ steps: [step], projects: [read(A)] })).toEqual([line]);
  });

  it("a failure that is in no step is named", () => {
    expect(linesOf({ steps: [FOUND], projects: [gone("12")] })).toEqual([
      "✓ key         accepted",
      "✗ 12: Can't read 12: none.",
      "0 of 1 projects can be read, 1 failed.",
    ]);
  });

  it("a warning comes after the steps", () => {
    expect(linesOf({ steps: [FOUND], projects: [read(A)], warning: "The key is in plain text." })).toEqual([
      "✓ key         accepted",
      "! warning     The key is in plain text.",
    ]);
  });
});

it("is coloured on a terminal", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("FORCE_COLOR", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const text = renderReport({ ok: false, steps: [FOUND, FAILED], projects: [gone(A)] });
  expect(text).toBe("\u001b[32m✓\u001b[39m key         accepted\n\u001b[31m✗ key         wrong; check it\u001b[39m\n");
});

describe("for many projects", () => {
  it("each that was read is a line, each cause of failures is one, and the counts come last", () => {
    const projects = [gone(A), read(B), gone(C), { ...read(IDS[3] ?? ""), backup: "standard error" }];
    expect(linesOf({ steps: [FOUND], projects })).toEqual([
      "✓ key         accepted",
      `✓ ${B}  monitoring logs to /m, backup to /b`,
      `✓ ${IDS[3]}  monitoring logs to /m, backup to standard error`,
      `✗ ${A}: Can't read ${A}: none. The same applies to ${C}.`,
      "2 of 4 projects can be read, 2 failed.",
    ]);
  });

  it("a failed step is said once, and the others are counted", () => {
    expect(linesOf({ steps: [FAILED], projects: [gone(A), notReached(B), notReached(C)] })).toEqual([
      "✗ key         wrong; check it",
      "0 of 3 projects can be read, 1 failed, 2 not reached.",
    ]);
  });
});
