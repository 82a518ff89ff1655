import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { extract } from "tar";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EXECUTABLE, makePlugin } from "../../tools/archive/make-plugin.ts";

const folder = mkdtempSync(path.join(tmpdir(), "launcher-"));
const launcher = path.join(folder, EXECUTABLE);
const PATH = path.dirname(process.execPath);

beforeAll(() => makePlugin(folder));

afterAll(() => rmSync(folder, { recursive: true }));

it("starts the plugin, also by a link to it", async () => {
  const link = path.join(folder, "link");
  symlinkSync(launcher, link);
  for (const file of [launcher, link]) {
    const plugin = spawn(file, ["127.0.0.1:1"], { env: { PATH } });
    const [line] = await once(plugin.stdout, "data");
    expect(String(line)).toMatch(/^\d+\n$/);
    plugin.stdin.end();
    expect(await once(plugin, "exit")).toEqual([0, null]);
  }
});

it("starts from the archive of a release without any Node.js", { timeout: 300_000 }, async () => {
  const script = path.join(import.meta.dirname, "../../tools/archive/build-standalone.ts");
  const archive = execFileSync(process.execPath, [script], { encoding: "utf8", stdio: "pipe" }).trimEnd();
  const cwd = path.join(folder, "standalone");
  mkdirSync(cwd);
  await extract({ file: archive, cwd });
  const plugin = spawn(path.join(cwd, EXECUTABLE), ["127.0.0.1:1"], { env: {} });
  const [line] = await once(plugin.stdout, "data");
  plugin.stdin.end();
  expect(String(line)).toMatch(/^\d+\n$/);
});

it.each([
  { description: "is missing", env: { PATH: folder }, says: "there is no node on the PATH" },
  {
    description: "is too old",
    env: { PATH, NODE_OPTIONS: `--require=${path.join(folder, "old.cjs")}` },
    says: "the PATH has 22.18.9",
  },
])("says in one sentence which Node.js it needs where it $description", ({ env, says }) => {
  const versions = '{ ...process.versions, node: "22.18.9" }';
  writeFileSync(path.join(folder, "old.cjs"), `Object.defineProperty(process, "versions", { value: ${versions} });`);
  const { status, stdout, stderr } = spawnSync(launcher, ["127.0.0.1:1"], { env, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The plugin agent-log-config needs Node\.js 22\.19 or later, and [^\n]*, which contains Node\.js\.\n$/,
  );
  expect(stderr).toContain(says);
});
