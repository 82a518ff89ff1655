import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPulumi } from "./find-pulumi.ts";
import { openDeployment } from "./open-deployment.ts";
import { readCalls, recordCalls } from "./recording.ts";
import { providerCalls, replay } from "./replay.ts";

const dynamicProgram = `
  const pulumi = require("@pulumi/pulumi");
  const config = new pulumi.Config("trial");
  class Thing extends pulumi.dynamic.Resource {}
  const provider = {
    create: async (inputs) => ({ id: "thing-1", outs: inputs }),
    diff: async () => ({}),
    update: async (id, olds, news) => ({ outs: news }),
  };
  const thing = new Thing(provider, "thing", { size: { megabytes: config.requireNumber("size"), files: 2 } });
  exports.key = config.requireSecret("key");
  exports.stash = new pulumi.Stash("stash", { input: thing.size }).output;
`;

describe("findPulumi", () => {
  it.skipIf(process.platform === "win32").for([
    {
      installed: { "bin/pulumi": "v3.1.2" },
      found: { reason: /pulumi-language-nodejs and pulumi-resource-pulumi-nodejs/ },
    },
    { installed: { "node_modules/.bin/pulumi": "v3.1.2" }, found: { reason: /no pulumi on the PATH/ } },
    {
      installed: { "bin/pulumi": "v3.1.2", "bin/pulumi-language-nodejs": "", "bin/pulumi-resource-pulumi-nodejs": "" },
      found: { version: "3.1.2" },
    },
  ])("looks for a CLI that can run Node.js programs: $found", async ({ installed, found }) => {
    const folder = await temporaryFolder();
    for (const [name, prints] of Object.entries(installed)) {
      const file = join(folder, name);
      await mkdir(resolve(file, ".."), { recursive: true });
      await writeFile(file, `#!/bin/sh\necho ${prints}\n`);
      await chmod(file, 0o755);
    }
    const path = [join(folder, "node_modules/.bin"), join(folder, "bin")].join(delimiter);
    const result = findPulumi({ PATH: path, PULUMI_HOME: join(folder, "home") });
    const expected = "reason" in found ? { reason: expect.stringMatching(found.reason ?? "") } : found;
    expect(result).toMatchObject(expected);
  });
});

describe("readCalls", () => {
  it("keeps what is asked and answered, without what differs between machines", async () => {
    const log = join(await temporaryFolder(), "calls.json");
    const request = {
      urn: "u",
      id: "b52c1f4e-11b2-4f0e-9d0c-3f7c2a0a7c11",
      args: { url: "http://127.0.0.1:4711/x", at: "/here" },
    };
    const configure = { method: "/pulumirpc.ResourceProvider/Configure", request: { ...request, acceptSecrets: true } };
    const lines = [
      { ...configure, progress: "request_started" },
      { ...configure, response: {}, progress: "response_completed" },
      { method: "/pulumirpc.LanguageRuntime/About", request: {}, response: {} },
      { method: "/pulumirpc.ResourceProvider/Read", request: {}, errors: ["rpc error: code = Unknown desc = gone"] },
    ];
    await writeFile(log, lines.map((line) => JSON.stringify(line)).join("\n"));
    expect(readCalls(log, { "/here": "<directory>" })).toEqual([
      {
        method: "ResourceProvider/Configure",
        request: { id: "<uuid>", urn: "u", args: { at: "<directory>", url: "http://127.0.0.1:<port>/x" } },
        response: {},
      },
      { method: "ResourceProvider/Read", request: {}, error: "gone" },
    ]);
  });
});

describe.each(["stand-in", "real"] as const)("the %s engine", (engine) => {
  it("shows, applies and forgets a change", async (context) => {
    const found = findPulumi();
    if (engine === "real" && "reason" in found) context.skip(`no Pulumi CLI: ${found.reason}`);
    const deployment = await openDeployment({ directory: await programFolder(dynamicProgram), engine });
    onTestFinished(() => deployment.close());
    await deployment.setConfig("trial:size", "1000");
    await deployment.setConfig("trial:key", "made-up", { secret: true });
    expect(await deployment.up()).toMatchObject({ exitCode: 0, text: expect.stringContaining("    + 3 created\n") });
    expect(await deployment.outputs()).toEqual({ key: "[secret]", stash: { megabytes: 1000, files: 2 } });

    await deployment.setConfig("trial:size", "500.5");
    const preview = await deployment.preview({ expectNoChanges: true });
    expect(preview.text).toContain("      ~ size: {\n          ~ megabytes: 1000 => 500.5\n        }\n");
    expect(preview.text).toContain("error: no changes were expected for preview but changes were proposed\n");
    expect(preview).toMatchObject({ ok: false, exitCode: 7 });

    expect((await deployment.destroy()).text).toContain("    - 3 deleted\n");
    expect(JSON.stringify(await deployment.exportState())).not.toContain("made-up");
  });
});

describe("the stand-in engine", () => {
  it("refuses by name what it does not model", async () => {
    const program = `new (require("@pulumi/pulumi").Stash)("s", { input: 1 }, { retainOnDelete: true });`;
    const deployment = await openDeployment({ directory: await programFolder(program), engine: "stand-in" });
    onTestFinished(() => deployment.close());
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain("error: stand-in engine: the option retainondelete of s is not modelled\n");
  });

  it("ends a program that hangs when it is closed", async () => {
    const directory = await programFolder("setInterval(() => {}, 1000); exports.never = new Promise(() => {});");
    const deployment = await openDeployment({ directory, engine: "stand-in" });
    const preview = deployment.preview();
    const ended = expect(preview).rejects.toThrow("the deployment was closed");
    await deployment.close();
    await ended;
  });

  it("asks a provider what a replay asks again", async () => {
    const directory = await programFolder(dynamicProgram);
    const recording = await recordCalls({
      directory,
      engine: "stand-in",
      steps: async (deployment) => {
        await deployment.setConfig("trial:size", "1000");
        await deployment.setConfig("trial:key", "made-up", { secret: true });
        await deployment.up();
        await deployment.refresh();
      },
    });
    const calls = providerCalls(recording);
    expect(calls.map(({ method }) => method.split("/")[1])).toEqual([
      "Configure",
      "Check",
      "Create",
      "Configure",
      "Read",
      "Diff",
    ]);
    expect(await replay(recording, directory)).toEqual(calls);
  });
});

async function programFolder(program: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "Pulumi.yaml"), "name: trial\nruntime: nodejs\n");
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "trial", main: "index.js" }));
  await writeFile(join(folder, "index.js"), program);
  await symlink(resolve(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "stand-in-engine-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
