import { cp } from "node:fs/promises";
import path from "node:path";
import { expect, type TestContext } from "vitest";
import { startService } from "../../sdk/testing/index.ts";
import { PRIVATE_KEY } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { linkGoSdk, linkPythonSdk } from "./generate-sdk.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

/** The languages whose programs run on an engine. */
export const LANGUAGES = ["yaml", "python", "go"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Go compiles Pulumi's SDK once, which takes minutes. */
export const LIMIT = { timeout: 600_000 };

/** Makes the program of a language ready to run, and returns what it needs in its environment. */
const PREPARATIONS = {
  yaml: async () => ({}),
  python: (context: TestContext, _: string, folder: string) => linkPythonSdk(context, folder),
  go: async (context: TestContext, directory: string, folder: string) => {
    const go = await linkGoSdk(context, directory, folder);
    expect(await go("build", "-o", "program")).toMatchObject({ exitCode: 0 });
    return {};
  },
};

/**
 * Opens a copy of a program on the real engine, which finds the plugin, and starts a service for it.
 * @param installed where the copy goes
 * @param change changes the copy before it is made ready to run
 */
export async function openProgram(
  context: TestContext,
  language: Language,
  source: string,
  installed: PluginFolder,
  change = async (_directory: string): Promise<void> => {},
) {
  const { path: PATH } = requireHost(context, language);
  const directory = path.join(installed.path(), `${language}-program`);
  await cp(source, directory, { recursive: true });
  await change(directory);
  const env = await PREPARATIONS[language](context, directory, installed.path());
  const deployment = await openRealDeployment(directory, { ...env, PATH: installed.pathWith(PATH) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  const service = await startService({ privateKey: PRIVATE_KEY });
  context.onTestFinished(() => service.close());
  return { deployment, service };
}
