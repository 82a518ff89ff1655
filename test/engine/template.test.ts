import { execFile } from "node:child_process";
import { cp, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { makeProgramFolder } from "./program.ts";

it("type-checks every program in what pulumi new typescript makes", async (context) => {
  const { directory } = await makeProgramFolder(context, "every-entry");
  const programs = path.join(import.meta.dirname, "programs");
  await cp(programs, directory, { recursive: true });
  const files = await readdir(programs);
  await writeFile(path.join(directory, "tsconfig.all.json"), JSON.stringify({ extends: "./tsconfig.json", files }));
  const compiler = path.join(inject("installedPackage"), "node_modules/typescript/bin/tsc");
  const args = [compiler, "--noEmit", "--pretty", "false", "-p", "tsconfig.all.json"];
  const checked = await promisify(execFile)(process.execPath, args, { cwd: directory }).catch((error) => error);
  expect(checked.stdout).toBe("");
});
