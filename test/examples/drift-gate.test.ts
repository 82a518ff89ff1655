import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { openService } from "../client/open-client.ts";
import { environmentOf } from "../command/run-main.ts";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";
import { PRIVATE_KEY, PROJECT_ID } from "../deployment/open-program.ts";
import { runCommand } from "../deployment/run-command.ts";
import { copyExample } from "./copy-example.ts";
import { openExample } from "./open-example.ts";

it("shows drift as a change", async (context) => {
  const { deployment, service } = await openExample(context, "drift-gate", { projects: { orders: PROJECT_ID } });
  expect(await deployment.up()).toMatchObject({ ok: true });
  service.set(PROJECT_ID, "backup", { logPath: "/elsewhere/backup-agent.log" });
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: false, exitCode: 7 });
});

it("passes the workflow without drift, fails it on drift, and is silent about the program's own changes", async (context) => {
  const found = findPulumi();
  if ("reason" in found) return context.skip(`no Pulumi CLI: ${found.reason}`);
  const cwd = await copyExample(context, "drift-gate");
  const service = await openService({ privateKey: PRIVATE_KEY });
  const folders = { home: path.join(cwd, "home"), backend: cwd };
  const env = { ...cliEnvironment(found.path, folders), ...environmentOf(service) };
  const shell = (command: string) => runCommand("sh", ["-c", command], { cwd, env, signal: context.signal });
  const workflow = await readFile(path.join(cwd, ".github/workflows/drift.yml"), "utf8");
  const [gate = "no gate", preview = "no preview"] = workflow.match(/(?<=- run: )pulumi .*/g) ?? [];
  const jobs: Readonly<Record<string, { script: readonly string[] }>> = parse(
    await readFile(path.join(cwd, ".gitlab-ci.yml"), "utf8"),
  );
  // GitLab runs a script like this.
  const gitLab = `set -e\n${jobs["log-settings"]?.script.join("\n")}`;
  expect(gitLab).toContain(gate);
  expect(gitLab).toContain(preview);

  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 1000 } });
  const page = await readFile(path.join(cwd, "README.md"), "utf8");
  const [set = "", check = ""] = page.match(/(?<=^ {4})pulumi config .*projects.*/gm) ?? [];
  expect(await shell(`pulumi stack init dev && ${set} && pulumi up --yes --skip-preview`)).toMatchObject({
    exitCode: 0,
  });
  expect(await shell(check)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`✓ ${PROJECT_ID}`) });
  const program = await readFile(path.join(cwd, "index.ts"), "utf8");
  const added = program.replace("{ projects }", '{ projects: { ...projects, added: "f".repeat(24) } }');
  await writeFile(path.join(cwd, "index.ts"), added);
  expect(await shell(gate)).toMatchObject({ exitCode: 0 });
  expect(await shell(preview)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("there is no such project"),
  });
  expect(await shell(gitLab)).toMatchObject({ exitCode: 1 });
  service.set("f".repeat(24), "backup", {});
  expect(await shell(gate)).toMatchObject({ exitCode: 0 });
  expect(await shell(preview)).toMatchObject({ exitCode: 0 });
  service.set(PROJECT_ID, "monitoring", { logRotate: { sizeThresholdMB: 500 } });
  const drift = await shell(gate);
  expect(drift).toMatchObject({ exitCode: 7 });
  expect(await shell(gitLab)).toMatchObject({ exitCode: 7, stdout: expect.stringContaining("Previewing update") });
  const [, shown = ""] = /^ {4}Previewing refresh .*\n((?:(?: {4}.*)?\n)+)/m.exec(page) ?? [];
  expect(shown).toContain("~ sizeThresholdMB: 1000 => 500");
  for (const line of shown.split("\n")) expect(drift.stdout + drift.stderr).toContain(line.trim());
});
