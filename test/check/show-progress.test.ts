import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showProgress } from "../../sdk/check/show-progress.ts";

const { isTTY } = process.stderr;
let written: string;

beforeEach(() => {
  vi.useFakeTimers();
  written = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += text;
    return true;
  });
});

afterEach(() => {
  vi.useRealTimers();
  process.stderr.isTTY = isTTY;
});

it.each([
  { description: "a terminal after a second", isTerminal: true, seconds: 1, line: "\r1 of 9 projects are read" },
  { description: "a terminal within a second", isTerminal: true, seconds: 0.9, line: "" },
  { description: "a file", isTerminal: false, seconds: 5, line: "" },
])("shows on $description: $line", ({ isTerminal, seconds, line }) => {
  process.stderr.isTTY = isTerminal;
  const progress = showProgress();
  progress.update(1, 9);
  vi.advanceTimersByTime(seconds * 1000);
  const shown = written;
  progress.end();
  expect(shown).toBe(line);
  expect(written).toBe(line === "" ? "" : `${line}\r\x1b[K`);
});
