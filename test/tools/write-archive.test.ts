import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeArchive } from "../../tools/archive/write-archive.ts";

it("depends on names and contents alone, and has one executable file", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const archives = [0o600, 0o777].map((mode) => {
    const files = path.join(folder, `${mode}`);
    mkdirSync(files);
    writeFileSync(path.join(files, "plugin.cjs"), "0123456789", { mode });
    writeFileSync(path.join(files, "launcher"), "#!/bin/sh\n", { mode });
    const archive = path.join(folder, `${mode}.tar.gz`);
    writeArchive(archive, files, "launcher");
    return archive;
  });
  const [first = "", second = ""] = archives;
  expect(readFileSync(first)).toEqual(readFileSync(second));
  const env = { ...process.env, TZ: "UTC" };
  const lines = execFileSync("tar", ["--numeric-owner", "-tvzf", first], { encoding: "utf8", env });
  expect(lines.trimEnd().replace(/ +/g, " ").split("\n")).toEqual([
    "-rwxr-xr-x 0/0 10 1970-01-01 00:00 launcher",
    "-rw-r--r-- 0/0 10 1970-01-01 00:00 plugin.cjs",
  ]);
});
