import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { runCommand } from "../deployment/run-command.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";
import { copyExample } from "./copy-example.ts";
import { openExample } from "./open-example.ts";

it("passes its own unit tests, and those of docs/testing.md", async (context) => {
  const cwd = await copyExample(context, "testing");
  const shown = fencesIn(PAGES.get("docs/testing.md") ?? "", "ts").filter((code) => code.includes('from "vitest"'));
  for (const [index, code] of shown.entries()) await writeFile(path.join(cwd, `shown-${index}.test.ts`), code);
  const vitest = path.join(cwd, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  const result = await runCommand(process.execPath, [vitest, "run"], { cwd, env, signal: context.signal });
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Tests +5 passed \(5\)/) });
});

it("is a whole program", async (context) => {
  const { deployment } = await openExample(context, "testing", { projectId: PROJECT_ID });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ limitMB: 1500 });
});
