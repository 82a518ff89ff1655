import { createHash } from "node:crypto";
import { type ConnectionSettings, findSetting, type SettingsSource } from "../connection/connection-settings.ts";
import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { idOf } from "../model/agent-log-config-id.ts";
import type { AgentLogSettings } from "../model/agent-log-settings.ts";
import { apiAddress } from "../model/complete-options.ts";
import { isObject } from "../model/is-object.ts";
import { type Finding, failureOf } from "./finding-report.ts";
import { type RecordedSettings, recordedSettingsOf } from "./recorded-settings.ts";
import type { GivenArguments } from "./resource-arguments.ts";

/**
 * The result of a read in the program. It travels to the provider with the inputs of the resource, so that the provider can
 * tell whether the settings beside it belong to the resource that the engine is about to record.
 */
export interface SettingsOrigin {
  /** Null where nothing was read. */
  readonly projectId: string | null;
  readonly agent: string | null;
  /** Fingerprints of the service's address and of the public key; a public key may be a secret of the stack. */
  readonly fingerprints: Fingerprints;
  /** Why there are no settings; null where they were read. */
  readonly problem: Finding | null;
  /**
   * The settings that no message may quote, because they or what is expected of them are secret, and the arguments that no message
   * may quote if they are invalid. A valid id of a project is not a secret.
   */
  readonly secrets: readonly string[];
  /** The paths of the settings whose changes the program ignores, as `ignoreChanges` lists them. */
  readonly ignored: readonly string[];
  /** The settings that travel as an empty map although there are none, because the program ignores members of them. */
  readonly absent: readonly string[];
}

/** Returns the origin in that input; undefined where it has none. */
export function originIn(value: unknown): SettingsOrigin | typeof UNKNOWN | undefined {
  if (isUnknown(value)) return UNKNOWN;
  return isOrigin(value) ? value : undefined;
}

function isOrigin(value: unknown): value is SettingsOrigin {
  return isObject(value) && "problem" in value && "fingerprints" in value;
}

interface Fingerprints {
  readonly baseUrl: string | null;
  readonly publicKey: string | null;
}

/** Returns the fingerprints of the connection that a read used. */
export function fingerprintsOf({ baseUrl, publicKey }: ConnectionSettings): Fingerprints {
  return { baseUrl: fingerprintOf("baseUrl", baseUrl?.text), publicKey: fingerprintOf("publicKey", publicKey?.text) };
}

/**
 * Tells whether the settings with this origin are those of this project and agent, read over the connection that the
 * engine's configuration names. What it leaves to the environment is not compared.
 */
export function belongsTo(
  { projectId, agent, fingerprints }: SettingsOrigin,
  args: GivenArguments,
  sources: readonly SettingsSource[],
): boolean {
  const isSame = (setting: keyof Fingerprints) => {
    const configured = findSetting(setting, sources);
    return configured === undefined || fingerprintOf(setting, configured.text) === fingerprints[setting];
  };
  return projectId === args.projectId && agent === args.agent && isSame("baseUrl") && isSame("publicKey");
}

/**
 * Says what settings were read for.
 * @param service the fingerprint of its address
 */
export function readForOf(resource: Parameters<typeof idOf>[0], service: string | null): string {
  return `${idOf(resource)} ${service}`;
}

/** One service has one fingerprint, however its address is spelled. */
function fingerprintOf(setting: keyof Fingerprints, text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = setting === "baseUrl" ? URL.parse(text) : null;
  const spelled = (url && apiAddress(url)) ?? text;
  return createHash("sha256").update(spelled).digest("hex").slice(0, 16);
}

/** What came of a read. */
export interface ReadOutcome {
  /** Each setting is null where nothing could be read. */
  readonly settings: RecordedSettings;
  /** Why there are no settings; null where they were read. */
  readonly problem: Finding | null;
}

/** Waits for a read, which may fail. */
export async function outcomeOf(read: Promise<AgentLogSettings>): Promise<ReadOutcome> {
  try {
    return { settings: recordedSettingsOf(await read), problem: null };
  } catch (error) {
    return { settings: recordedSettingsOf({}), problem: failureOf(error) };
  }
}
