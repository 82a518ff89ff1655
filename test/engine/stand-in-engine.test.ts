import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findPulumi } from "./find-pulumi.ts";
import { openDeployment } from "./open-deployment.ts";
import { readCalls } from "./recording.ts";

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

it("records what is asked and answered, without what differs between machines", async () => {
  const log = join(await temporaryFolder(), "calls.json");
  const request = {
    urn: "u",
    id: "b52c1f4e-11b2-4f0e-9d0c-3f7c2a0a7c11",
    args: { url: "http://127.0.0.1:4711/x", at: "2026-01-01T00:00:00.000Z", print: "0123456789abcdef" },
  };
  const configure = { method: "/pulumirpc.ResourceProvider/Configure", request: { ...request, acceptSecrets: true } };
  const lines = [
    { ...configure, progress: "request_started" },
    { ...configure, response: {}, progress: "response_completed" },
    { method: "/pulumirpc.LanguageRuntime/About", request: {}, response: {} },
    { method: "/pulumirpc.ResourceProvider/Read", request: {}, errors: ["rpc error: code = Unknown desc = gone"] },
  ];
  await writeFile(log, lines.map((line) => JSON.stringify(line)).join("\n"));
  expect(readCalls(log)).toEqual([
    {
      method: "ResourceProvider/Configure",
      request: {
        id: "<uuid>",
        urn: "u",
        args: { at: "<time>", print: "<fingerprint>", url: "http://127.0.0.1:<port>/x" },
      },
      response: {},
    },
    { method: "ResourceProvider/Read", request: {}, error: "gone" },
  ]);
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
