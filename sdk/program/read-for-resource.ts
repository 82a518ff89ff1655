import * as pulumi from "@pulumi/pulumi";
import { isPlainObject } from "../client/is-object.ts";
import type { ConnectionSettings } from "../shared/connection-settings.ts";
import { fingerprintsOf, outcomeOf, type Reading, type ReadOutcome, type RecordedSettings } from "../shared/reading.ts";
import { secretsBehind } from "../shared/unmet-expectations.ts";
import { verdictOf } from "../shared/verdict.ts";
import { isEventual, isPlain } from "./is-eventual.ts";
import { plainValueOf } from "./private-sdk.ts";
import { programState } from "./program-state.ts";
import { connectionOf, providerOf } from "./provider.ts";
import { readOnce } from "./read-once.ts";
import { customParentOf, waitForDependencies, waitForRegistration } from "./wait-for-resources.ts";

/** A resource whose settings are to be read. */
export interface ReadRequest {
  readonly name: string;
  /** Those of an AgentLogConfig. */
  readonly args: Readonly<Record<"projectId" | "agent", pulumi.Input<string>>>;
  readonly resource: pulumi.CustomResource;
  readonly opts: pulumi.CustomResourceOptions;
  /** The arguments and settings that no message may quote. */
  readonly secrets: readonly string[];
}

/** What came of a read. */
export interface ResourceRead {
  /** Empty where the provider has to read itself. */
  readonly settings: RecordedSettings;
  readonly reading: Reading;
}

/**
 * Reads the settings of a resource as soon as its arguments, its connection and its dependencies are known, and all that its
 * registration waits for. It does not fail: a failure is to be reported against the resource.
 */
export function readForResource(request: ReadRequest): pulumi.Output<ResourceRead> {
  const { args, resource, opts } = request;
  const connection = connectionOf(providerOf(resource));
  const what = { projectId: args.projectId, agent: args.agent };
  const dependencies = waitForDependencies([opts.dependsOn ?? [], customParentOf(opts) ?? []].flat(), what, resource);
  const waits = [connection?.hasWaited ?? false, dependencies, waitForRegistration(opts)?.then(() => true) ?? false];
  return pulumi
    .all([pulumi.output(what), connection?.settings, pulumi.all(waits)])
    .apply(([plain, settings, waited]) => readNow(request, settings, plain, waited.includes(true)));
}

/** @param connection undefined where the provider of another package decides on it, so that only the engine can read */
async function readNow(
  request: ReadRequest,
  connection: ConnectionSettings | undefined,
  what: Pick<Reading, "projectId" | "agent">,
  hasWaited: boolean,
): Promise<ResourceRead> {
  const secrets = await secretsOf(request);
  const { ignoreChanges = [] } = request.opts;
  // The engine takes the name of a property in two spellings.
  const ignored = ignoreChanges.map((path) => path.replace(/^\["(\w+)"\]/, "$1"));
  const about = { secrets, ignored, isPreview: pulumi.runtime.isDryRun() };
  // The engine complains of an ignored path that leads through something else than a map, in both ways.
  const parents = ignored.flatMap((path) => /^(\w+)[.[]/.exec(path)?.slice(1) ?? []);
  const maps = Object.fromEntries(parents.map((parent) => [parent, {}]));
  if (connection === undefined) {
    const nothing = { projectId: null, agent: null, fingerprints: fingerprintsOf({}), problem: null, report: [] };
    return { settings: maps, reading: { ...about, ...nothing } };
  }
  const outcome = await outcomeOf(readOnce(connection, what, hasWaited));
  const { settings, problem } = outcome;
  const report = about.isPreview ? await reportOf(request, secrets, outcome) : [];
  const reading = { ...about, ...what, fingerprints: fingerprintsOf(connection), problem, report };
  return { settings: problem === null ? settings : { ...settings, ...maps }, reading };
}

/**
 * Holds a resource that is going to fail in a preview until everything else is compared.
 * @returns what it has to report for all; empty if the program sees no failure
 */
async function reportOf(
  { name, args, opts }: ReadRequest,
  secrets: readonly string[],
  { settings, problem }: ReadOutcome,
): Promise<Reading["report"]> {
  // A held resource must not wait for another one that is held, and the registration waits for all arguments. Only the engine
  // knows whether there is a record that can be used in an outage, and others may wait for it.
  const { failures: found } = verdictOf({ ...(await knownMembers(args)), ...settings }, problem, secrets);
  // Outside of a program nothing collects what the others report.
  if (found.length === 0 || pulumi.runtime.getStackResource() === undefined) return [];
  const { failures } = programState();
  // Only the engine knows the values that are kept, and a provider that a transform sets: the others do not name these.
  const isCertain = !opts.ignoreChanges?.length && problem?.code !== "ERR_MISSING_SETTINGS";
  if (isCertain) failures.note(name, found);
  return failures.hold(name);
}

/** Returns the arguments and the settings that no message may quote. */
async function secretsOf({ args, secrets }: ReadRequest): Promise<readonly string[]> {
  const marked = Object.entries(args).map(async ([name, value]) => {
    return isPlain(value) || !(await pulumi.isSecret(pulumi.output(value))) ? [] : [name];
  });
  return [...secrets, ...secretsBehind((await Promise.all(marked)).flat())];
}

/** Returns the values of inputs; what is unknown is undefined. */
async function knownMembers(inputs: object): Promise<Readonly<Record<string, unknown>>> {
  const members = Object.entries(inputs).map(async ([name, value]) => [name, await known(value)]);
  return Object.fromEntries(await Promise.all(members));
}

async function known(input: unknown): Promise<unknown> {
  if (isPlain(input)) return input;
  return isPlainObject(input) && !isEventual(input) ? knownMembers(input) : plainValueOf(pulumi.output(input));
}
