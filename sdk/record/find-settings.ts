import { lookUpConnection, type SettingsSource } from "../connection/connection-settings.ts";
import type { UncheckedRead } from "../connection/settings-reader.ts";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { idOf } from "../model/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { type AgentLogSettings, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Finding, findingOf } from "./finding-report.ts";
import { keptSettings } from "./ignored-changes.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import { isMoved, type ResourceRecord } from "./resource-record.ts";
import { belongsTo, fingerprintsOf, type ReadFor } from "./settings-origin.ts";

/** What the engine gives to a provider for one record. */
export interface RecordHost {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  /** In a refresh, the sources may be those of the last update. */
  readonly usesOldConnection?: boolean | undefined;
  /** Reads settings with the connection of the sources. */
  readonly read: (args: UncheckedRead) => Promise<AgentLogConfigResult>;
}

/**
 * What is known of the settings of a resource. Nothing is known yet if, in a preview, a read waits for something that is still to be
 * created. If the program ignores changes of all settings, they stay as they are recorded, whatever a read has found.
 */
export type ReadOutcome = { readonly kind: "unknown" } | { readonly kind: "ignored" } | EndedRead;

/** A read has ended, in the program or in the provider. */
type EndedRead = { readonly readFor: ReadFor } & (
  | { readonly kind: "read"; readonly settings: RecordedSettings }
  | { readonly kind: "failed"; readonly finding: Finding }
);

/**
 * Finds the settings of a resource whose arguments are valid. It takes the settings that the program has read, if they belong to
 * this record. Otherwise it reads.
 * @param olds the inputs in the state; empty if there are none, as for a replacement that is forced
 */
export async function findSettings(host: RecordHost, olds: ResourceRecord, news: ResourceRecord): Promise<ReadOutcome> {
  const { args, origin } = news;
  const { projectId, agent } = args;
  if (origin === UNKNOWN || isUnknown(projectId) || isUnknown(agent)) return { kind: "unknown" };
  if (keptSettings(olds, news).length === SETTING_NAMES.length) return { kind: "ignored" };
  const read = origin?.read;
  if (read !== undefined && belongsTo(read, args, host.sources)) {
    const { failure: finding, readFor } = read;
    if (finding !== undefined) return { kind: "failed", finding, readFor };
    // If a record moves, the engine has put ignored settings of the other project among the inputs.
    if (!isMoved(olds, news) || origin?.ignoreChanges.length === 0) {
      return { kind: "read", settings: news.settings, readFor };
    }
  }
  return outcomeOf(host.read({ projectId, agent }), readForOf(host, args));
}

/** Waits for a read, which may fail. */
export async function outcomeOf(read: Promise<AgentLogSettings>, readFor: ReadFor): Promise<EndedRead> {
  try {
    return { kind: "read", settings: recordedSettingsOf(await read), readFor };
  } catch (error) {
    return { kind: "failed", finding: findingOf(error), readFor };
  }
}

/** Says what a read with the connection of the engine is for. The address of the service may be a secret of the stack. */
export function readForOf({ sources }: RecordHost, resource: Parameters<typeof idOf>[0]): ReadFor {
  return { id: idOf(resource), service: fingerprintsOf(lookUpConnection(...sources)).baseUrl };
}
