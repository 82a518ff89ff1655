import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigError } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { fingerprintsOf, problemOf, type Reading } from "../shared/reading.ts";
import { NO_SETTINGS, type RecordedSettings, recordSettings, SETTING_NAMES } from "../shared/recorded-settings.ts";
import { AGENT_LOG_CONFIG_TYPE } from "../shared/resource-type.ts";
import { unmetExpectations } from "../shared/unmet-expectations.ts";
import type { AgentLogConfigArgs } from "./agent-log-config-args.ts";
import { holdFailure, noteRead } from "./hold-failure.ts";
import { plainValueOf, runsWithMocks } from "./private-sdk.ts";
import { type Connect, connectionOf } from "./provider.ts";
import { type Circumstances, readOnce } from "./read-once.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";

/** The resource that reads. */
export interface Reader {
  readonly name: string;
  readonly args: AgentLogConfigArgs;
  readonly resource: pulumi.CustomResource;
  readonly dependsOn: pulumi.CustomResourceOptions["dependsOn"];
  /** The settings that no message may quote. */
  readonly secrets: readonly string[];
}

/** The result of a read. */
export interface Outcome {
  readonly settings: RecordedSettings;
  /** When they were read, as an ISO 8601 date; null where they could not be read. */
  readonly readAt: string | null;
  /** What was read; null where the provider has to read itself. */
  readonly reading: Reading | null;
}

/**
 * Reads the settings of a resource as soon as its arguments, its connection and its dependencies are known. It does not
 * reject: a failure is to be reported against the resource.
 * @returns a Promise where everything is known already, which costs the SDK less than an Output
 */
export function readForResource(reader: Reader): Promise<Outcome> | pulumi.Output<Outcome> {
  const { args, resource, dependsOn } = reader;
  const what = { projectId: args.projectId, agent: args.agent, envelope: args.envelope, pretty: args.pretty };
  const connection = connectionOf(resource.getProvider(AGENT_LOG_CONFIG_TYPE));
  if (connection === undefined) return Promise.resolve(NOTHING_READ);
  if (dependsOn === undefined && isPlain(what) && !pulumi.Output.isInstance(connection)) {
    return read(reader, connection, what, { hasWaited: false, secret: false });
  }
  const known = pulumi.output(what);
  return pulumi
    .all([known, connection, waitForDependencies(dependsOn, what, resource), pulumi.isSecret(known)])
    .apply(([plain, connected, hasWaited, secret]) => read(reader, connected, plain, { hasWaited, secret }));
}

/** The provider of another package decides on the connection, so that only the engine can read. */
const NOTHING_READ: Outcome = { settings: NO_SETTINGS, readAt: null, reading: null };

async function read(
  reader: Reader,
  connect: Connect,
  what: { readonly projectId: unknown; readonly agent: unknown },
  circumstances: Circumstances,
): Promise<Outcome> {
  const { resource, name, args } = reader;
  noteRead(resource, reader.dependsOn === undefined && isPlain(args) ? "independent" : "dependent");
  const connection = connect();
  const secrets = (await isSecret(args.expect)) ? SETTING_NAMES : reader.secrets;
  const { projectId, agent } = what;
  const reading = { projectId, agent, connection: fingerprintsOf(connection.settings), secrets };
  try {
    const settings = recordSettings(await readOnce(connection, what, circumstances));
    const unmet = await unmetKnownExpectations(args, settings, secrets);
    if (unmet.length > 0 && runsWithMocks()) throw new AgentLogConfigError("ERR_UNEXPECTED", unmet.join(" "));
    const others = unmet.length === 0 ? [] : await holdFailure(resource, name, unmet);
    return { settings, readAt: new Date().toISOString(), reading: { ...reading, problem: null, others } };
  } catch (error) {
    // A unit test has no engine that reports the failure: a rejection that nobody handles fails the test, once.
    if (runsWithMocks()) void Promise.reject(error);
    const problem = problemOf(error);
    // Only the engine knows whether there is a record that can be used instead.
    const mayUseRecorded = problem.outage && (await known(args.whenUnavailable)) === "useRecorded";
    const others = await holdFailure(resource, name, mayUseRecorded ? [] : [problem.reason]);
    return { settings: NO_SETTINGS, readAt: null, reading: { ...reading, problem, others } };
  }
}

async function isSecret(expect: AgentLogConfigArgs["expect"]): Promise<boolean> {
  return expect !== undefined && pulumi.isSecret(pulumi.output(expect));
}

/** What the provider is going to report, as far as it is known. */
async function unmetKnownExpectations(
  { expect, whenUnexpected }: AgentLogConfigArgs,
  settings: RecordedSettings,
  secrets: readonly string[],
): Promise<string[]> {
  if (expect === undefined || (await known(whenUnexpected)) === "warn") return [];
  return unmetExpectations(await known(expect), settings, secrets);
}

/** Returns the value of an input; undefined as long as it is unknown. */
async function known(input: unknown): Promise<unknown> {
  return isPlain(input) ? input : plainValueOf(pulumi.output(input));
}

function isPlain(value: unknown): boolean {
  if (!isObject(value)) return true;
  return !pulumi.Output.isInstance(value) && !(value instanceof Promise) && Object.values(value).every(isPlain);
}
