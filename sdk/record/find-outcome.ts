import { isDeepStrictEqual } from "node:util";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { errorFinding, type Finding } from "../findings/finding.ts";
import {
  type AgentLogConfigResult,
  type AgentLogSettings,
  type RecordedSettings,
  recordedSettingsOf,
  SETTING_NAMES,
  type SettingName,
} from "../model/agent-log-settings.ts";
import { type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { belongsTo } from "./program-origin.ts";
import { type ReadTarget, readTargetOf } from "./read-target.ts";
import { isRecordOf } from "./recorded-settings.ts";
import { isFleet } from "./resource-arguments.ts";
import type { ResourceProperties } from "./resource-properties.ts";

/** What the engine gives to a provider for one record. */
export interface RecordContext {
  /** The connection that `read` uses. */
  readonly connection: ConnectionSettings;
  /** In a refresh, the connection may be that of the last update. */
  readonly usesOldConnection?: boolean | undefined;
  /** The caller knows that it is a preview, and takes marks of unknown values. */
  readonly isPreview?: boolean | undefined;
  readonly read: (args: ReadArguments) => Promise<AgentLogConfigResult>;
  /** Reads one of the members of a fleet, which all begin together. */
  readonly readMember: (args: ReadArguments) => Promise<AgentLogConfigResult>;
}

/** Members of a fleet are read together, so that it is known how many there are. */
export function readerFor(context: RecordContext, { args }: ResourceProperties): RecordContext {
  return isFleet(args) ? { ...context, read: context.readMember } : context;
}

/**
 * What is known of the settings of a resource. Nothing is known yet if, in a preview, a read waits for something that is still to be
 * created. If the program ignores changes of all settings, they stay as they are recorded, whatever a read has found.
 */
export type ReadOutcome = { readonly kind: "unknown" } | { readonly kind: "ignored" } | EndedRead;

/** A read has ended, in the program or in the provider. */
type EndedRead = { readonly readTarget: ReadTarget } & (
  | { readonly kind: "read"; readonly settings: RecordedSettings }
  | { readonly kind: "failed"; readonly finding: Finding }
);

/**
 * Finds the settings of a resource whose arguments are valid. It takes the settings that the program has read, if they belong to
 * this record. Otherwise it reads.
 */
export async function findOutcome(
  context: RecordContext,
  olds: ResourceProperties,
  news: ResourceProperties,
): Promise<ReadOutcome> {
  const { args, origin } = news;
  const { projectId, agent } = args;
  if (origin === UNKNOWN || isUnknown(projectId) || isUnknown(agent)) return { kind: "unknown" };
  if (keptNames(olds, news).length === SETTING_NAMES.length) return { kind: "ignored" };
  const read = origin?.read;
  if (read !== undefined && belongsTo(read, args, context.connection)) {
    const { failure: finding, readTarget } = read;
    if (finding !== undefined) return { kind: "failed", finding, readTarget };
    // If a record moves, the engine has put ignored settings of the other project among the inputs.
    const isMoved = olds.args.projectId !== undefined && !isRecordOf(olds, news);
    if (!isMoved || origin?.ignoreChanges.length === 0) {
      return { kind: "read", settings: news.settings, readTarget };
    }
  }
  return outcomeOf(
    context.read(readArgumentsSchema.parse({ projectId, agent })),
    readTargetOf(args, context.connection),
  );
}

/** Waits for a read, which may fail. */
export async function outcomeOf(read: Promise<AgentLogSettings>, readTarget: ReadTarget): Promise<EndedRead> {
  try {
    return { kind: "read", settings: recordedSettingsOf(await read), readTarget };
  } catch (error) {
    return { kind: "failed", finding: errorFinding(error), readTarget };
  }
}

// The engine applies `ignoreChanges` twice: it puts recorded values among the inputs before a check, and again when it compares them
// with the record. But a check that reads has other settings than those inputs, so it keeps the settings that are ignored as a whole.

/**
 * Returns the settings whose recorded values stay. An origin has the paths of `ignoreChanges`. Without an origin, only `ignoreChanges`
 * puts settings among the inputs, and puts them there with their recorded values.
 */
export function keptNames(olds: ResourceProperties, news: ResourceProperties): readonly SettingName[] {
  if (!isRecordOf(olds, news)) return [];
  const { settings, origin } = news;
  return SETTING_NAMES.filter((name) => {
    if (origin !== undefined && origin !== UNKNOWN) return isAmong(origin.ignoreChanges, name);
    return settings[name] !== undefined && isDeepStrictEqual(settings[name], olds.settings[name]);
  });
}

function isAmong(paths: readonly string[], name: SettingName): boolean {
  return paths.includes(name) || paths.includes(`["${name}"]`);
}
