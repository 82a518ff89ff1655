import { stripVTControlCharacters } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ProjectReport, Report, Step } from "../../sdk/command/make-report.ts";
import { renderReport } from "../../sdk/command/render-report.ts";

const [A, B, C, D] = ["a".repeat(24), "b".repeat(24), "c".repeat(24), "d".repeat(24)];
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

it("is coloured on a terminal", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("FORCE_COLOR", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  const text = renderReport({ ok: false, steps: [FOUND, FAILED], projects: [gone(A)] });
  expect(text).toBe("\u001b[32m✓\u001b[39m key         accepted\n\u001b[31m✗ key         wrong; check it\u001b[39m\n");
});

const REST: ProjectReport = { ...read(D), backup: "standard error" };

it.each<{ description: string; report: Omit<Report, "ok">; lines: readonly string[] }>([
  {
    description: "a failure that is in no step",
    report: { steps: [FOUND], projects: [gone("12")] },
    lines: ["✓ key         accepted", "✗ 12: Can't read 12: none.", "0 of 1 projects can be read, 1 failed."],
  },
  {
    description: "a warning after the steps",
    report: { steps: [FOUND], projects: [read(A)], warning: "The key is in plain text." },
    lines: ["✓ key         accepted", "! warning     The key is in plain text."],
  },
  {
    description: "each project that was read, each cause of failures once, and the counts",
    report: { steps: [FOUND], projects: [gone(A), read(B), gone(C), REST] },
    lines: [
      "✓ key         accepted",
      `✓ ${B}  monitoring logs to /m, backup to /b`,
      `✓ ${D}  monitoring logs to /m, backup to standard error`,
      `✗ ${A}: Can't read ${A}: none. The same applies to ${C}.`,
      "2 of 4 projects can be read, 2 failed.",
    ],
  },
  {
    description: "a failed step once, and counts the others",
    report: { steps: [FAILED], projects: [gone(A), notReached(B), notReached(C)] },
    lines: ["✗ key         wrong; check it", "0 of 3 projects can be read, 1 failed, 2 not reached."],
  },
])("says $description", ({ report, lines }) => {
  expect(linesOf(report)).toEqual(lines);
});
