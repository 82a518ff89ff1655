import { isUnknown, UNKNOWN } from "../engine/engine-marks.ts";
import { isObject } from "../model/is-object.ts";
import type { Finding } from "./finding-report.ts";
import { originIn, type ReadFor, type SettingsOrigin } from "./settings-origin.ts";

/**
 * The properties of a resource that are the package's own. Their names begin with two underscores, which the CLI hides. No other file
 * knows the names.
 */
export interface InternalProperties {
  /**
   * The provider text. Written by the program; read by the host of dynamic providers, and by Diff, which tells by it who manages a record.
   * Seen in inputs, outputs and the state. Frozen: name and text are in the state of every stack.
   */
  readonly provider?: string | null | undefined;
  /**
   * Where the settings beside it come from; {@link UNKNOWN} in a preview as long as the program has not read them. Written by the
   * program, read by Check. Seen in the inputs that the program sends, never in the state. Not frozen: if Check does not
   * understand it, Check reads by itself.
   */
  readonly origin?: SettingsOrigin | typeof UNKNOWN | undefined;
  /**
   * In which place a resource fails whose check has failed: in the program of a preview, or in its update. Written by the program,
   * read by the Check of the dynamic provider. Seen in the inputs that the program sends, never in the state. Not frozen.
   */
  readonly failsIn?: "program" | "update" | undefined;
  /**
   * What the settings were read for. Written by Check and in a refresh; read by Diff, Create and Update, and by the next Check. Seen in inputs
   * and, with them, in the state. Frozen as the text `<projectId>/<agent> <service>`, or else outages use no record.
   */
  readonly readFor?: ReadFor | undefined;
  /**
   * Why its check has failed; empty if it has not. Written by Check; read by Diff, Create and Update, and by the program of a preview, for
   * which it is an output. Seen in the inputs of a run, never in the state, because nothing is recorded that fails. Not frozen.
   */
  readonly failures?: readonly Finding[];
  /**
   * The record comes from `get`. Written and read by the Read of the dynamic provider. Seen in outputs and the state. Frozen: without it a
   * refresh finds a time in what it only adopts.
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

/** What is to be written: a program knows an origin later, as an Output. */
interface WrittenProperties extends Omit<InternalProperties, "origin"> {
  readonly origin?: unknown;
}

/** Returns internal properties as the engine has them, without those that are undefined. */
export function internalProperties(values: WrittenProperties): Record<string, unknown> {
  const { provider, origin, failsIn, readFor, failures = [], isAdopted = false } = values;
  const reasons = failures.map(({ cause, message, isUnsent }) => ({ cause, message, ...(isUnsent && { isUnsent }) }));
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
  return reasons.filter(isObject).map(({ cause, message, isUnsent }) => {
    return { cause: String(cause), message: String(message), isUnsent: isUnsent === true };
  });
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
