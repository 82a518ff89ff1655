import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { writeArchive } from "../../tools/archive/write-archive.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

it("has one executable file, no times and no owners, whatever the files have", () => {
  const folder = temporaryFolder("archive");
  writeFileSync(path.join(folder, "plugin.cjs"), "0123456789", { mode: 0o777 });
  writeFileSync(path.join(folder, "launcher"), "#!/bin/sh\n", { mode: 0o600 });
  const archive = path.join(folder, "archives/plugin.tar.gz");
  writeArchive(archive, folder, "launcher");
  const options = { encoding: "utf8", env: { ...process.env, TZ: "UTC" } } as const;
  const lines = execFileSync("tar", ["--numeric-owner", "-tvzf", archive], options);
  expect(lines.trimEnd().replace(/ +/g, " ").split("\n")).toEqual([
    "-rwxr-xr-x 0/0 10 1970-01-01 00:00 launcher",
    "-rw-r--r-- 0/0 10 1970-01-01 00:00 plugin.cjs",
  ]);
});
