import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { CONFIGS, FLEET_ID } from "../engine/frozen-texts.ts";
import type { Finding } from "../findings/finding.ts";
import { isSettingName, recordedSettingsOf, SECRET_SETTING } from "../model/agent-log-settings.ts";
import { AGENTS, idOf } from "../model/read-arguments.ts";
import { isPlainObject, type Json, type JsonMap } from "../text/json.ts";
import { fingerprintOf, type ReadTarget, UNKNOWN_TARGET } from "./read-target.ts";
import { NO_RECORD } from "./recorded-settings.ts";
import { type GivenArguments, isFleet } from "./resource-arguments.ts";
import { type ResourceProperties, UNKNOWN_READ } from "./resource-properties.ts";

// A fleet is one resource, whose record has the records of its members side by side: `configs` has what everybody may see of them, and
// `configOverrides` what is secret, both by the keys of the members, `<project>/<agent>`. A resource of its own is treated as its only
// member, so that both are checked, recorded and refreshed in the same way.

/** The properties of members by their keys. The key of a resource of its own is empty. */
export type Members = ReadonlyMap<string, ResourceProperties>;

const ITSELF = "";

/** Returns the members that the arguments of a resource name. The arguments are valid, and ids may be unknown yet. */
export function membersOf(resource: ResourceProperties): Members {
  if (!isFleet(resource.args)) return new Map([[ITSELF, resource]]);
  const { projects, agents } = resource.args;
  const ids = Object.entries(isPlainObject(projects) ? projects : {});
  const kinds = AGENTS.filter((agent) => !Array.isArray(agents) || agents.includes(agent));
  // The engine does not keep the order of a map.
  const entries = ids
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, projectId]) => kinds.map((agent) => [`${name}/${agent}`, { projectId, agent }] as const));
  return new Map(entries.map(([key, identity]) => [key, memberIn(resource, key, identity)]));
}

/** Returns the members that a record has, which are those of its arguments without the ones that a refresh has not found. */
export function recordedMembersOf(record: ResourceProperties): Members {
  if (!isFleet(record.args)) return new Map([[ITSELF, record]]);
  const entries = Object.entries(mapIn(record.settings[CONFIGS]));
  return new Map(
    entries.map(([key, config]) => {
      const { projectId = null, agent = null } = mapIn(config);
      return [key, memberIn(record, key, { projectId, agent })];
    }),
  );
}

/** Returns a member as a resource of its own. */
function memberIn(
  { args, settings, origin, readTarget }: ResourceProperties,
  key: string,
  identity: { readonly projectId: Json; readonly agent: Json },
): ResourceProperties {
  const { projects: _, agents: __, ...rules } = args;
  const ofMember = { ...mapIn(mapIn(settings[CONFIGS])[key]), [SECRET_SETTING]: mapIn(settings[SECRET_SETTING])[key] };
  const entries = Object.entries(ofMember).filter(([name, value]) => isSettingName(name) && value !== undefined);
  return {
    args: { ...rules, ...identity },
    settings: Object.fromEntries(entries),
    origin: origin === UNKNOWN ? UNKNOWN : undefined,
    readTarget: readTarget && { ...readTarget, id: idOf(identity) },
  };
}

function mapIn(value: Json | undefined): JsonMap {
  return isPlainObject(value) ? value : {};
}

/** What was found for a member, or for a resource. */
export interface Completion {
  /** The inputs to record; undefined for a member that leaves the record. */
  readonly inputs: ResourceProperties | undefined;
  readonly failures: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Joins what was found for the members of a resource: their inputs, and what is said of them, each cause once. */
export function joinMembers(
  resource: ResourceProperties,
  completions: ReadonlyMap<string, Completion>,
): Completion & { readonly inputs: ResourceProperties } {
  const members = [...completions].flatMap(([key, { inputs }]) =>
    inputs === undefined ? [] : [[key, inputs] as const],
  );
  return {
    inputs: withMembers(resource, new Map(members)),
    failures: joinFindings([...completions].map(([key, { failures }]) => [key, failures])),
    warnings: joinFindings([...completions].map(([key, { warnings }]) => [key, warnings])),
  };
}

/** Joins findings that have one cause, with the keys of the members that they are said of. */
function joinFindings(findings: readonly (readonly [key: string, readonly Finding[]])[]): readonly Finding[] {
  const entries = findings.flatMap(([key, each]) => each.map((finding) => ({ key, finding })));
  return [...Map.groupBy(entries, ({ finding }) => finding.causeKey).values()].flatMap((cause) => {
    const members = cause.map(({ key }) => key).filter((key) => key !== ITSELF);
    return cause.slice(0, 1).map(({ finding }) => (members.length === 0 ? finding : { ...finding, members }));
  });
}

function withMembers(resource: ResourceProperties, members: Members): ResourceProperties {
  if (!isFleet(resource.args)) return members.get(ITSELF) ?? NO_RECORD;
  const configs: [string, Json][] = [];
  const secrets: [string, Json][] = [];
  for (const [key, { args, settings }] of members) {
    const { projectId = null, agent = null } = args;
    const { [SECRET_SETTING]: secret = {}, ...shown } = recordedSettingsOf(settings);
    const id = isUnknown(projectId) ? UNKNOWN : idOf(args);
    configs.push([key, { id, name: key.slice(0, key.lastIndexOf("/")), projectId, agent, ...shown }]);
    secrets.push([key, secret]);
  }
  const { args, provider } = resource;
  return {
    args,
    settings: { [CONFIGS]: Object.fromEntries(configs), [SECRET_SETTING]: Object.fromEntries(secrets) },
    provider,
    readTarget: readTargetOfAll(args, [...members.values()]),
  };
}

/** The service of a record whose members are of several ones, because some of them are ignored. No outage uses such a record. */
const SEVERAL_SERVICES = "several";

/** Returns what the members of a fleet were read for; undefined if one of them could not be read. */
function readTargetOfAll(args: GivenArguments, members: readonly ResourceProperties[]): ReadTarget | undefined {
  const targets = members.map(({ readTarget }) => readTarget);
  if (targets.some((target) => isUnknown(target?.id))) return UNKNOWN_TARGET;
  if (targets.includes(undefined)) return undefined;
  const services = new Set(targets.flatMap((target) => target?.service ?? []));
  const [service = null] = services.size > 1 ? [SEVERAL_SERVICES] : services;
  return { id: targetIdOf(args), service };
}

/** Returns the id of a resource. */
export function resourceIdOf({ args }: ResourceProperties): string {
  return isFleet(args) ? FLEET_ID : idOf(args);
}

/** Returns for which project and agent a resource is read, or a fingerprint of all those of a fleet. */
export function targetIdOf(args: GivenArguments): string {
  if (!isFleet(args)) return idOf(args);
  const identities = [...membersOf({ args, settings: {} })].map(([key, member]) => [key, idOf(member.args)]);
  return fingerprintOf(JSON.stringify(identities));
}

/** Returns what stands in a preview for a resource of whose settings nothing is known. */
export function unread(resource: ResourceProperties): ResourceProperties {
  if (!isFleet(resource.args)) return { ...resource, ...UNKNOWN_READ };
  return { ...resource, settings: { [CONFIGS]: UNKNOWN, [SECRET_SETTING]: UNKNOWN }, readTarget: UNKNOWN_TARGET };
}

/** Tells whether it is known which members a resource has. */
export function areMembersKnown({ args: { projects, agents } }: ResourceProperties): boolean {
  return ![projects, agents].flat().some(isUnknown);
}
