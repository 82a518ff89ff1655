import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { runCommand } from "../deployment/run-command.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";
import { copyExample } from "./copy-example.ts";
import { openExample } from "./open-example.ts";

/** The test on docs/testing.md, and the program that it tests. */
const onPage = fencesIn(PAGES.get("docs/testing.md") ?? "", "ts fragment").filter((code) => code.includes("it("));
const [tested = ""] = fencesIn(PAGES.get("README.md") ?? "", "ts");

it("passes its own unit tests, and those of its page and of docs/testing.md", async (context) => {
  const cwd = await copyExample(context, "testing");
  await writeFile(path.join(cwd, "index.ts"), tested);
  const shown = [...onPage, ...fencesIn(await readFile(path.join(cwd, "README.md"), "utf8"), "ts")];
  for (const [index, code] of shown.entries()) await writeFile(path.join(cwd, `shown-${index}.test.ts`), code);
  const vitest = path.join(cwd, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  const result = await runCommand(process.execPath, [vitest, "run"], { cwd, env, signal: context.signal });
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Tests +5 passed \(5\)/) });
});

it("has on docs/testing.md a test that node:test runs, too", async (context) => {
  const cwd = await copyExample(context, "testing");
  const imports = 'import assert from "node:assert/strict";\nimport { it } from "node:test";';
  await writeFile(path.join(cwd, "index.ts"), tested);
  const test = onPage
    .join("")
    .replace('"./index"', '"./index.ts"')
    .replace('import { expect, it } from "vitest";', imports)
    .replace(/expect\((.*)\)\.toBe\((.*)\)/, "assert.equal($1, $2)");
  await writeFile(path.join(cwd, "shown.test.ts"), test);
  const { stdout } = await runCommand(process.execPath, ["--test", "shown.test.ts"], {
    cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    signal: context.signal,
  });
  expect(stdout).toMatch(/^\S+ pass 1$/m);
});

it("is a whole program", async (context) => {
  const { deployment } = await openExample(context, "testing", { projectId: PROJECT_ID });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ limitMB: 1500 });
});
