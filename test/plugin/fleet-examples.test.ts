import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { makePlugin } from "../../plugin/make-plugin.ts";
import { startService } from "../../sdk/testing/index.ts";
import { findPulumi } from "../engine/find-pulumi.ts";
import { configure, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../engine/program.ts";
import { openRealDeployment } from "../engine/real-deployment.ts";
import { linkGoSdk, linkPythonSdk } from "./generate-sdk.ts";
import { requireHost } from "./require-host.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const IDS = Array.from({ length: 20 }, (_, index) => id(index));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fleets-"));
  if (!("reason" in findPulumi())) await makePlugin(path.join(folder, "plugins"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Makes the example of a language ready to run, and returns what it needs in its environment. */
const PREPARATIONS = {
  yaml: async (_: TestContext, directory: string) => {
    const file = path.join(directory, "Pulumi.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("default: []", `default: ${JSON.stringify(IDS)}`));
    return {};
  },
  python: async (context: TestContext, directory: string) => {
    // The SDK is not in a virtual environment of the example's own.
    await writeFile(path.join(directory, "Pulumi.yaml"), "name: python\nruntime: python\n");
    return linkPythonSdk(context, folder);
  },
  go: async (context: TestContext, directory: string) => {
    const go = await linkGoSdk(context, directory, folder);
    expect(await go("build", "-o", "program")).toMatchObject({ exitCode: 0 });
    return {};
  },
};

// Go compiles Pulumi's SDK once, which takes minutes.
const LIMIT = { timeout: 600_000 };

it.for(["yaml", "python", "go"] as const)(
  "shows the drift and the failures of 20 projects in %s",
  LIMIT,
  async (language, context) => {
    const { path: PATH } = requireHost(context, language);
    const directory = path.join(folder, `${language}-program`);
    await cp(path.join(import.meta.dirname, "../../examples", language), directory, { recursive: true });
    const env = await PREPARATIONS[language](context, directory);
    const folders = [path.join(folder, "plugins"), path.dirname(process.execPath), PATH].join(path.delimiter);
    const deployment = await openRealDeployment(directory, { ...env, PATH: folders }, process.execPath);
    context.onTestFinished(() => deployment.close());
    const service = await startService({ privateKey: PRIVATE_KEY });
    context.onTestFinished(() => service.close());
    const list = language === "yaml" ? {} : { projectIds: IDS };
    await configure(deployment, service, language, { projectId: PROJECT_ID, ...list });
    service.set(PROJECT_ID, "monitoring", SETTINGS);
    for (const projectId of IDS) service.set(projectId, "monitoring", { logPath: "/var/log/agent.log" });
    const { ok, text: recorded } = await deployment.up();
    expect(ok, recorded).toBe(true);

    for (const index of [3, 7, 11]) service.set(id(index), "monitoring", undefined);
    for (const index of [5, 9]) service.set(id(index), "monitoring", { logPath: "/drifted" });
    const { exitCode, steps, text } = await deployment.preview();
    expect(exitCode).toBe(1);
    expect([...steps].sort((a, b) => a.name.localeCompare(b.name))).toEqual(
      [5, 9].map((index) => ({
        op: "update",
        name: `fleet-${id(index)}-monitoring`,
        differences: ['logPath: "/var/log/agent.log" => "/drifted"'],
      })),
    );
    const named = [3, 7, 11].map((index) => `${id(index)}/monitoring`).join(", ");
    expect(text).toContain(`3 of 20 fail.\n3 fail alike: ${named}. Can't read`);

    service.respondWith({ status: 503 });
    expect((await deployment.preview()).text).toContain("20 of 20 use the recorded settings");
  },
);
