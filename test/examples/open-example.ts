import path from "node:path";
import type { TestContext } from "vitest";
import { openDeployment } from "../deployment/open-deployment.ts";
import { configure, ENGINE, type Program, startKnownService } from "../deployment/open-program.ts";
import { copyExample } from "./copy-example.ts";

/**
 * Opens a copy of an example on the real engine where there is one, else on the stand-in. It is closed when the test ends.
 *
 * @param name of its folder in `examples/`, the last part of which is the project's name
 * @param settings of the program's configuration
 */
export async function openExample(
  context: TestContext,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<Program, "directory">> {
  const [folder = "", ...inside] = name.split("/");
  const directory = path.join(await copyExample(context, folder), ...inside);
  const deployment = await openDeployment({ directory, engine: ENGINE, env });
  context.onTestFinished(() => deployment.close());
  const service = await startKnownService();
  await configure(deployment, service, path.basename(name), settings);
  return { deployment, service };
}
