import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { isObject } from "../model/is-object.ts";
import type { Finding } from "./finding-report.ts";
import { originIn, type ReadFor, type SettingsOrigin } from "./settings-origin.ts";

/**
 * The properties of a resource that only the package uses. Their names begin with two underscores, and the CLI hides such names.
 * No other file knows the names.
 */
export interface InternalProperties {
  /**
   * The provider text. The program writes it. The host of dynamic providers reads it, and so does Diff, to learn who manages a
   * record. It is in inputs, outputs and the state. Its name and its text are frozen, because the state of every stack has them.
   */
  readonly provider?: string | null | undefined;
  /**
   * Where the settings beside it come from; {@link UNKNOWN} in a preview as long as the program has not read them. The program
   * writes it, and Check reads it. It is in the inputs that the program sends, and never in the state. It is not frozen: if Check
   * does not understand it, Check reads by itself.
   */
  readonly origin?: SettingsOrigin | typeof UNKNOWN | undefined;
  /**
   * The place at which a resource fails whose check has failed: the program of a preview, or its update. The program writes it,
   * and the Check of the dynamic provider reads it. It is in the inputs that the program sends, and never in the state. It is not
   * frozen.
   */
  readonly failsIn?: "program" | "update" | undefined;
  /**
   * What the settings were read for. Check and a refresh write it. Diff, Create, Update and the next Check read it. It is in the
   * inputs, and with them in the state. It is frozen as the text `<projectId>/<agent> <service>`: without this text, no record is
   * used in an outage.
   */
  readonly readFor?: ReadFor | undefined;
  /**
   * Why its check has failed; empty if it has not. Check writes them. Diff, Create and Update read them, and so does the program
   * of a preview, for which they are an output. They are in the inputs of a run, and never in the state, because a resource that
   * fails is not recorded. They are not frozen.
   */
  readonly failures?: readonly Finding[];
  /**
   * The record comes from `get`, so its program sends no inputs. The Read of the dynamic provider writes and reads it. It is in the
   * outputs and the state. It is frozen: without it, a refresh records inputs, and the next preview shows that they are gone.
   */
  readonly isAdopted?: boolean;
}

/** The output that has the failures in a preview. */
export const FAILURES = "__failures";

/** Returns the internal properties among those of the engine. It judges nothing, because a state may have been edited. */
export function internalIn(properties: Readonly<Record<string, unknown>>): InternalProperties {
  const { __provider: provider, __origin, __failsIn: failsIn, __readFor, [FAILURES]: failures } = properties;
  return {
    provider: provider == null ? provider : String(provider),
    origin: originIn(__origin),
    failsIn: failsIn === "program" || failsIn === "update" ? failsIn : undefined,
    readFor: parseReadFor(__readFor),
    failures: findingsIn(failures),
    isAdopted: properties["__adopted"] === true,
  };
}

/**
 * Returns internal properties as the engine has them, without those that are undefined.
 * @param values an origin is a text, which a program knows later, as an Output
 */
export function internalProperties(
  values: Omit<InternalProperties, "origin"> & { readonly origin?: unknown },
): Record<string, unknown> {
  const { provider, origin, failsIn, readFor, failures = [], isAdopted = false } = values;
  const reasons = failures.map(({ cause, message }) => ({ cause, message }));
  const properties = {
    __provider: provider,
    __origin: origin,
    __failsIn: failsIn,
    __readFor: readFor && readForText(readFor),
    [FAILURES]: reasons.length > 0 ? reasons : undefined,
    __adopted: isAdopted ? true : undefined,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** Returns properties without the internal ones, which a caller may not send. */
export function withoutInternal(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith("__")));
}

/** Returns the findings in `__failures`, which is an input, and an output in a preview. */
export function findingsIn(value: unknown): readonly Finding[] {
  const reasons: readonly unknown[] = Array.isArray(value) ? value : [];
  return reasons.filter(isObject).map(({ cause, message }) => ({ cause: String(cause), message: String(message) }));
}

function readForText({ id, service }: ReadFor): string {
  return isUnknown(id) ? UNKNOWN : `${id} ${service}`;
}

function parseReadFor(value: unknown): ReadFor | undefined {
  if (isUnknown(value)) return { id: UNKNOWN, service: null };
  const [id, service, ...rest] = typeof value === "string" ? value.split(" ") : [];
  if (id === undefined || service === undefined || rest.length > 0) return undefined;
  return { id, service: service === "null" ? null : service };
}
