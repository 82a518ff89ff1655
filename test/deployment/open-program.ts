import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { inject, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import type { Deployment } from "./deployment.ts";
import { findPulumi } from "./find-pulumi.ts";
import { openDeployment } from "./open-deployment.ts";

export const PROJECT_ID = "0123456789abcdef01234567";
export const PRIVATE_KEY = "private-key-0001";

/** A body of the service with everything in it, credentials among it. */
export const SETTINGS = {
  logPath: "/var/log/monitoring-agent.log",
  logPathWindows: "%SystemDrive%\\log\\monitoring-agent.log",
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
  username: "mms-monitoring-agent",
  password: "body-password-0001",
  configOverrides: { mmsApiKey: "body-api-key-0001", enabled: true },
} as const;

/** Nothing of this may ever be seen in clear. */
export const SECRETS = [PRIVATE_KEY, SETTINGS.password, SETTINGS.configOverrides.mmsApiKey];

/** The engines that the few cases run on that show that the stand-in does what the real engine does. */
export const BOTH_ENGINES = ["stand-in", "real"] as const;
export type EngineName = (typeof BOTH_ENGINES)[number];

/** The engine that all other cases run on: the real one, unless there is no Pulumi CLI. */
export const ENGINE: EngineName =
  "reason" in findPulumi() && process.env["PULUMI_CLI"] !== "required" ? "stand-in" : "real";
export const ENGINES = [ENGINE];

/** A folder of one of the programs in `test/engine/programs/`, and a service that knows one project. */
interface ProgramFolder {
  readonly directory: string;
  readonly service: Service;
}

/** What runs a program. */
export interface Installation {
  /** The Node.js that runs it. */
  readonly node: string;
  /** The folder in which the package and the SDK are installed. */
  readonly installed: string;
}

/** A program in a stack of its own. */
export interface Program extends ProgramFolder {
  readonly deployment: Deployment;
}

/**
 * Opens a program in a new stack, with the service as the stack's connection. It is closed when the test ends.
 *
 * @param settings of the program's configuration, such as `{ args: {...} }`
 * @param env added to the environment of every run
 * @param installation other versions of what runs the program
 */
export async function openProgram(
  context: TestContext,
  engine: EngineName,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
  { node = process.execPath, installed = inject("installedPackage") }: Partial<Installation> = {},
): Promise<Program> {
  skipWithout(context, engine);
  const { directory, service } = await makeProgramFolder(context, name, installed);
  const deployment = await openDeployment({ directory, engine, env: { ...FAST, ...env }, node });
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, name, settings);
  return { deployment, service, directory };
}

/** type-checks.test.ts checks the types of all programs. */
const FAST = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

export async function configure(
  deployment: Deployment,
  service: Service,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const given = Object.entries(settings).map(([key, value]) => ({
    key: `${name}:${key}`,
    text: typeof value === "string" ? value : JSON.stringify(value),
  }));
  // One command sets all that may stand on a command line.
  const { true: secret = [], false: shown = [] } = Object.groupBy(given, ({ text }) => `${text.includes(PRIVATE_KEY)}`);
  await deployment.setConfigs({
    "agent-log-config:baseUrl": service.baseUrl,
    "agent-log-config:publicKey": "publickey",
    "agent-log-config:allowHttp": "true",
    ...Object.fromEntries(shown.map(({ key, text }) => [key, text])),
  });
  for (const { key, text } of secret) await deployment.setConfig(key, text);
  await deployment.setConfig("agent-log-config:privateKey", PRIVATE_KEY, { secret: true });
}

let made = 0;

/** Makes a folder as `pulumi new typescript` does, in which the packed package is installed. It goes when the test ends. */
export async function makeProgramFolder(
  context: TestContext,
  name: string,
  installed = inject("installedPackage"),
): Promise<ProgramFolder> {
  made += 1;
  const directory = path.join(installed, `${name}-${process.pid}-${made}`);
  await writeTemplate(directory, name);
  context.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return { directory, service: await startKnownService() };
}

/** Starts a service that knows one project. It ends with the test. */
export async function startKnownService(): Promise<Service> {
  const settings = { monitoring: SETTINGS, backup: { logPath: "/var/log/backup-agent.log" } };
  const service = await openService({ privateKey: PRIVATE_KEY, settings: { [PROJECT_ID]: settings } });
  return service;
}

export function skipWithout(context: TestContext, engine: EngineName): void {
  if (engine !== "real") return;
  const found = findPulumi();
  if (!("reason" in found)) return;
  if (process.env["PULUMI_CLI"] === "required") throw new Error(`PULUMI_CLI=required, but: ${found.reason}`);
  context.skip(`no Pulumi CLI: ${found.reason}`);
}

async function writeTemplate(directory: string, name: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const write = (file: string, text: string) => writeFile(path.join(directory, file), text);
  await write("Pulumi.yaml", `name: ${name}\nruntime:\n  name: nodejs\n  options:\n    packagemanager: npm\n`);
  await write("package.json", JSON.stringify({ name, main: "index.ts" }));
  await write("tsconfig.json", JSON.stringify({ compilerOptions: TEMPLATE_OPTIONS, files: ["index.ts"] }));
  await copyFile(path.join(import.meta.dirname, "../engine/programs", `${name}.ts`), path.join(directory, "index.ts"));
}

export const TEMPLATE_OPTIONS = {
  strict: true,
  outDir: "bin",
  target: "es2020",
  module: "commonjs",
  moduleResolution: "node",
  sourceMap: true,
  experimentalDecorators: true,
  pretty: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
  forceConsistentCasingInFileNames: true,
};
