import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { configure, openProgram, PRIVATE_KEY } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import type { PluginFolder } from "../plugin/plugin-folder.ts";
import { requireHost } from "../plugin/require-host.ts";

/** A program with one record, on the real engine. */
export interface RecordProgram {
  readonly deployment: Deployment;
  readonly service: Service;
  /** Writes the arguments and the options of the record into the program. */
  readonly use: (args: object, options?: object) => Promise<void>;
}

/** The languages of such a program. */
export const RECORD_LANGUAGES = ["TypeScript", "YAML"] as const;

/** Opens such a program in a new stack, with a service that knows nothing yet. */
export async function openRecord(
  context: TestContext,
  language: (typeof RECORD_LANGUAGES)[number],
  plugin: PluginFolder,
): Promise<RecordProgram> {
  return language === "TypeScript" ? openTypeScript(context) : openYaml(context, plugin);
}

async function openTypeScript(context: TestContext): Promise<RecordProgram> {
  const { deployment, service } = await openProgram(context, "real", "recorded");
  const use = (args: object, options: object = {}) =>
    deployment.setConfigs({ "recorded:args": JSON.stringify(args), "recorded:options": JSON.stringify(options) });
  return { deployment, service, use };
}

async function openYaml(context: TestContext, plugin: PluginFolder): Promise<RecordProgram> {
  const { path: folders } = requireHost(context, "yaml");
  const directory = temporaryFolder("yaml");
  const file = path.join(directory, "Pulumi.yaml");
  await writeFile(file, JSON.stringify({ name: "program", runtime: "yaml" }));
  const service = await openService({ privateKey: PRIVATE_KEY });
  const deployment = await openRealDeployment(directory, { PATH: plugin.pathWith(folders) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, "program", {});
  const use = async (properties: object, options: object = {}) => {
    const settings = { type: "agent-log-config:AgentLogConfig", properties, options };
    const program: object = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...program, resources: { settings } }));
  };
  return { deployment, service, use };
}
