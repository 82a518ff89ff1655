import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeArchive } from "../../tools/archive/write-archive.ts";

const LARGE = "0123456789".repeat(1000);

/** Writes the archive of a plugin whose files only their owner may read, and which were changed at this time. */
function archiveOfFiles(changed: Date): string {
  const folder = mkdtempSync(path.join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = path.join(folder, "files");
  mkdirSync(files);
  for (const [name, text] of Object.entries({ "plugin.cjs": LARGE, launcher: "#!/bin/sh\n", empty: "" })) {
    writeFileSync(path.join(files, name), text, { mode: 0o600 });
    utimesSync(path.join(files, name), changed, changed);
  }
  const archive = path.join(folder, "plugin.tar.gz");
  writeArchive(archive, files, "launcher");
  return archive;
}

function tar(...args: readonly string[]): string {
  return execFileSync("tar", args, { encoding: "utf8", env: { ...process.env, TZ: "UTC" } });
}

it("makes one file executable and lets everybody read the others, whatever modes they have on the disk", () => {
  const lines = tar("--numeric-owner", "-tvzf", archiveOfFiles(new Date())).trimEnd().split("\n");
  expect(lines.map((line) => line.replace(/ +/g, " "))).toEqual([
    "-rw-r--r-- 0/0 0 1970-01-01 00:00 empty",
    "-rwxr-xr-x 0/0 10 1970-01-01 00:00 launcher",
    "-rw-r--r-- 0/0 10000 1970-01-01 00:00 plugin.cjs",
  ]);
});

it("keeps the contents", () => {
  expect(tar("-xOzf", archiveOfFiles(new Date()), "plugin.cjs")).toBe(LARGE);
});

it("is the same at any time", () => {
  const [first, second] = [new Date(0), new Date()].map((changed) => readFileSync(archiveOfFiles(changed)));
  expect(first).toEqual(second);
});
