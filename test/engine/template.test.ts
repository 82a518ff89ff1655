import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { makeProgramFolder } from "./program.ts";

it.for(["every-entry", "recorded", "connections"])(
  "type-checks in what pulumi new makes: %s",
  async (name, context) => {
    const { directory } = await makeProgramFolder(context, name);
    const compiler = path.join(inject("installedPackage"), "node_modules/typescript/bin/tsc");
    const checked = promisify(execFile)(process.execPath, [compiler, "--noEmit", "--pretty", "false"], {
      cwd: directory,
    });
    await expect(checked).resolves.toMatchObject({ stdout: "" });
  },
);
