import { sealProperty, UNKNOWN } from "../engine/engine-marks.ts";
import { CONFIGS } from "../engine/frozen-texts.ts";
import { type Finding, findingsText, parseFindings } from "../findings/finding.ts";
import { isSettingName, type RecordedSettings, SECRET_SETTING, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { type Json, jsonMapOf } from "../text/json.ts";
import { originIn, type ProgramOrigin } from "./program-origin.ts";
import { parseReadTarget, type ReadTarget, readTargetText, UNKNOWN_TARGET } from "./read-target.ts";
import { type GivenArguments, isFleet } from "./resource-arguments.ts";

/** The inputs or the outputs of a resource. */
export interface ResourceProperties extends Omit<InternalProperties, "failsIn" | "isExternal"> {
  /** What the program has passed, valid or not. */
  readonly args: GivenArguments;
  /** Those of one agent, or those of all members of a fleet. */
  readonly settings: RecordedSettings & { readonly [CONFIGS]?: Json };
}

/**
 * The properties of a resource that only the package uses. Their names begin with two underscores: the CLI hides such
 * names of a record that is created, and shows them in a difference. No other file knows the names.
 */
interface InternalProperties {
  /**
   * The provider text. The program writes it. The provider host reads it, and so does Diff, to learn who manages a
   * record. It is in inputs, outputs and the state. Its name and its text are frozen, because the state of every stack has them.
   */
  readonly provider?: string | null | undefined;
  /**
   * Where the settings beside it come from; {@link UNKNOWN} in a preview as long as the program has not read them. The program
   * writes it, and Check reads it. It is in the inputs that the program sends, and never in the state. It is not frozen: if Check
   * does not understand it, Check reads by itself.
   */
  readonly origin?: ProgramOrigin | typeof UNKNOWN | undefined;
  /**
   * The place at which a resource fails whose check has failed: the program of a preview, or its update. The program writes it,
   * and the Check of the dynamic provider reads it. It is in the inputs that the program sends, and never in the state. It is not
   * frozen.
   */
  readonly failsIn?: "program" | "update" | undefined;
  /**
   * What the settings were read for. Check and a refresh write it. Diff, Create, Update and the next Check read it. It is in the
   * inputs, and with them in the state. It is frozen as the text `<projectId>/<agent> <service>`, and for a fleet as
   * `<fingerprint of its members> <service>`: without this text, nobody knows from which service a record comes.
   */
  readonly readTarget?: ReadTarget | undefined;
  /**
   * Why its check has failed; empty if it has not. Check writes them as one text. Diff, Create and Update read them, and so does the
   * program of a preview, for which they are an output. They are in the inputs of a run, and never in the state, because a resource
   * that fails is not recorded. They are not frozen.
   */
  readonly failures?: readonly Finding[];
  /**
   * The record comes from `get`, so its program sends no inputs. The Read of the dynamic provider writes and reads it. It is in the
   * outputs and the state. It is frozen: without it, a refresh records inputs, and the next preview shows that they are gone.
   */
  readonly isExternal?: boolean;
}

export const UNKNOWN_SETTINGS: RecordedSettings = Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN]));

/** What stands for settings in a preview, as long as nothing is known of them. */
export const UNKNOWN_READ = { settings: UNKNOWN_SETTINGS, readTarget: UNKNOWN_TARGET };

/** The properties of a resource as the engine has them. */
export type Properties = Readonly<Record<string, unknown>>;

/** Returns the properties of a resource by what they are. It judges nothing, because a state may have been edited. */
export function parseProperties(properties: Properties): ResourceProperties {
  const isOfFleet = isFleet(properties);
  const { args = [], settings = [] } = Object.groupBy(Object.entries(withoutInternal(properties)), ([name]) =>
    isSettingName(name) || (isOfFleet && name === CONFIGS) ? "settings" : "args",
  );
  const { provider, origin, readTarget, failures = [] } = internalIn(properties);
  return {
    args: jsonMapOf(Object.fromEntries(args)),
    settings: jsonMapOf(Object.fromEntries(settings)),
    provider,
    origin,
    readTarget,
    failures,
  };
}

/** Returns the properties as the engine has them. An origin is left out, because it is for one check only. */
export function asProperties({ args, settings, origin: _, ...internal }: ResourceProperties): Properties {
  return jsonMapOf({ ...args, ...settings, ...internalProperties(internal) });
}

/** Seals what the engine has to encrypt among properties that a provider has added. */
export function sealSecrets(properties: Properties, secrets: readonly string[]): Properties {
  const names = secrets.includes(CONFIGS) ? [CONFIGS, SECRET_SETTING] : [SECRET_SETTING];
  return names.reduce(sealProperty, properties);
}

/** The output that has the failures in a preview. */
export const FAILURES = "__failures";

/** Returns the internal properties among those of the engine. It judges nothing, because a state may have been edited. */
export function internalIn(properties: Readonly<Record<string, unknown>>): InternalProperties {
  const { __provider: provider, __origin, __failsIn: failsIn, __readTarget, [FAILURES]: failures } = properties;
  return {
    provider: provider == null ? provider : String(provider),
    origin: originIn(__origin),
    failsIn: failsIn === "program" || failsIn === "update" ? failsIn : undefined,
    readTarget: parseReadTarget(__readTarget),
    failures: parseFindings(failures),
    isExternal: properties["__external"] === true,
  };
}

/**
 * Returns internal properties as the engine has them, without those that are undefined.
 * @param values an origin is a text, which a program knows later, as an Output
 */
export function internalProperties(
  values: Omit<InternalProperties, "origin"> & { readonly origin?: unknown },
): Record<string, unknown> {
  const { provider, origin, failsIn, readTarget, failures = [], isExternal = false } = values;
  const properties = {
    __provider: provider,
    __origin: origin,
    __failsIn: failsIn,
    __readTarget: readTarget && readTargetText(readTarget),
    [FAILURES]: failures.length > 0 ? findingsText(failures) : undefined,
    __external: isExternal ? true : undefined,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** Returns properties without the internal ones, which a caller may not send. */
export function withoutInternal(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));
}
