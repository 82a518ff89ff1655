import { stripVTControlCharacters } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { type CheckReport, type ProjectReport, renderReport } from "../../sdk/command/render-report.ts";

const [A, B, C, D] = ["a".repeat(24), "b".repeat(24), "c".repeat(24), "d".repeat(24)];

function read(projectId: string): ProjectReport {
  return { projectId, status: "ok", monitoring: "/m", backup: "/b" };
}

function gone(projectId: string, cause = "ERR_PROJECT_NOT_FOUND"): ProjectReport {
  return { projectId, status: "failed", message: `Can't read ${projectId}: none.`, cause };
}

function notReached(projectId: string): ProjectReport {
  return { projectId, status: "not reached" };
}

function render(report: Partial<CheckReport>): string {
  return renderReport({ ok: false, settings: {}, projects: [], ...report });
}

it("is coloured on a terminal", () => {
  vi.stubEnv("NO_COLOR", undefined);
  vi.stubEnv("FORCE_COLOR", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(render({ projects: [read(A), gone(B), notReached(C)], warning: "The key." })).toBe(
    [
      "\u001b[33m! The key.\u001b[39m",
      `\u001b[32m✓\u001b[39m ${A}  monitoring logs to /m, backup to /b`,
      `\u001b[31m✗ Can't read ${B}: none.\u001b[39m`,
      "1 of 3 projects can be read, 1 failed, 1 not reached.\n",
    ].join("\n"),
  );
});

const READ_A = `✓ ${A}  monitoring logs to /m, backup to /b`;

it.each<{ description: string; report: Partial<CheckReport>; lines: readonly string[] }>([
  {
    description: "where the settings are",
    report: { settings: { baseUrl: "stack", publicKey: "environment", privateKey: "stack" }, projects: [read(A)] },
    lines: ["Settings from the stack: baseUrl, privateKey; from the environment: publicKey", READ_A],
  },
  { description: "why one project is not read", report: { projects: [gone(A)] }, lines: [`✗ Can't read ${A}: none.`] },
  {
    description: "a warning before the projects",
    report: { projects: [read(A)], warning: "The key is in plain text." },
    lines: ["! The key is in plain text.", READ_A],
  },
  {
    description: "each project that was read, each cause of failures once, and the counts",
    report: { projects: [gone(B), read(A), gone(C), { ...read(D), backup: "standard error" }, gone("12", "other")] },
    lines: [
      READ_A,
      `✓ ${D}  monitoring logs to /m, backup to standard error`,
      `✗ Can't read ${B}: none. The same applies to ${C}.`,
      "✗ Can't read 12: none.",
      "2 of 5 projects can be read, 3 failed.",
    ],
  },
])("says $description", ({ report, lines }) => {
  expect(stripVTControlCharacters(render(report))).toBe(`${lines.join("\n")}\n`);
});
