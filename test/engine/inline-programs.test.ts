import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, inject, it } from "vitest";
import { cliEnvironment } from "../deployment/cli-environment.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";
import { makeProgramFolder, PRIVATE_KEY, PROJECT_ID, skipWithout } from "../deployment/open-program.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

/** Runs programs as functions in this one process, and prints what came of each. */
const PROCESS = `
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { AgentLogConfig, AgentLogConfigs } from "pulumi-agent-log-config";
const config = JSON.parse(process.env.STACK_CONFIG);
const agents = ["monitoring"];
const programs = {
  good: async () => void new AgentLogConfigs("fleet", { projects: { known: config.known }, agents }),
  failing: async () => {
    new AgentLogConfigs("fleet", { projects: { gone: config.gone, known: config.known }, agents });
    new AgentLogConfig("gone", { projectId: config.gone, agent: "backup" });
  },
};
const guarded = async () => void new AgentLogConfig("guarded", { projectId: config.known, agent: "backup" });
const run = async ([name, program]) => {
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "dev", projectName: name, program });
  for (const [key, value] of Object.entries(config.settings)) await stack.setConfig(key, { value, secret: key.endsWith("privateKey") });
  if (name === "guarded") await stack.setConfig("pulumi:disable-default-providers", { value: '["agent-log-config"]' });
  const printed = [];
  const print = (error) => void printed.push(String(error));
  const ok = await stack.preview({ onOutput: print }).then(() => true, (error) => print(error) ?? false);
  const up = await stack.up({ onOutput: print }).then(() => true, (error) => print(error) ?? false);
  return [name, { ok, up, text: printed.join("") }];
};
const results = await Promise.all(Object.entries(programs).map(run));
// By itself, because in the SDK what a program throws fails the others, too.
console.log(JSON.stringify(Object.fromEntries([...results, await run(["guarded", guarded])])));
`;

it("reports the failures of an inline program, and fails no other one in the same process, on the real engine", async (context) => {
  skipWithout(context, "real");
  const found = findPulumi();
  if ("reason" in found) throw new Error(found.reason);
  const { directory, service } = await makeProgramFolder(context, "failures");
  const folder = temporaryFolder("inline");
  await mkdir(path.join(folder, "backend"));
  const file = path.join(inject("installedPackage"), `${path.basename(directory)}.mjs`);
  await writeFile(file, PROCESS);
  context.onTestFinished(() => rm(file));
  const settings = Object.entries({
    baseUrl: service.baseUrl,
    publicKey: "publickey",
    privateKey: PRIVATE_KEY,
    allowHttp: "true",
  }).map(([key, value]) => [`agent-log-config:${key}`, value]);
  const config = { known: PROJECT_ID, gone: "f".repeat(24), settings: Object.fromEntries(settings) };
  const folders = { home: path.join(folder, "home"), backend: path.join(folder, "backend") };
  const env = cliEnvironment(found.path, folders, { STACK_CONFIG: JSON.stringify(config) });
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 100_000 });
  const { good, failing, guarded } = JSON.parse(stdout);
  expect(good, good.text).toMatchObject({ ok: true, up: true });
  expect(failing).toMatchObject({ ok: false, up: false });
  for (const name of ["gone", "gone/monitoring"]) expect(failing.text).toContain(name);
  expect(guarded).toMatchObject({ ok: false, up: false });
  expect(guarded.text).toContain("AgentLogConfig guarded' must use an explicit provider");
});
