import { SETTINGS, THRESHOLDS } from "../client/agent-log-settings.ts";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import { UNKNOWN } from "./engine-marks.ts";

/**
 * Returns a sentence for each setting that is not as expected, and for each expectation that can't be met by any setting.
 * @param expected as the program wrote it
 * @param settings as they are recorded
 * @param secrets the settings that no sentence may quote
 */
export function unmetExpectations(expected: unknown, settings: object, secrets: readonly string[]): string[] {
  if (expected === undefined || expected === null || expected === UNKNOWN) return [];
  if (!isObject(expected) || Array.isArray(expected)) return ["expect must be an object."];
  return compareAll("", EXPECTED_NAMES, expected, settings, secrets);
}

/** The settings that can be expected. */
export const EXPECTED_NAMES: readonly string[] = Object.keys(SETTINGS).filter((name) => name !== "configOverrides");

function compareAll(
  path: string,
  known: readonly string[],
  expected: object,
  found: object,
  secrets: readonly string[],
): string[] {
  return Object.entries(expected).flatMap(([name, wanted]) => {
    if (wanted === undefined) return [];
    if (!known.includes(name)) {
      return [
        `expect has unknown settings: ${path}${printable(name, 80)}; the valid ones are ${path}${known.join(`, ${path}`)}.`,
      ];
    }
    return compare(`${path}${name}`, wanted, Reflect.get(found, name) ?? null, secrets);
  });
}

function compare(path: string, wanted: unknown, value: unknown, secrets: readonly string[]): string[] {
  if (wanted === UNKNOWN) return [];
  if (path === "logRotate" && isObject(wanted) && !Array.isArray(wanted)) {
    return compareAll("logRotate.", Object.keys(THRESHOLDS), wanted, isObject(value) ? value : {}, secrets);
  }
  const isThreshold = path.startsWith("logRotate.");
  if (isThreshold ? !isExpectedNumber(wanted) : wanted !== null && typeof wanted !== "string") {
    const kinds = isThreshold ? "a number, a range { atLeast, atMost } or null" : "a string or null";
    return [`expect.${path} must be ${path === "logRotate" ? "an object or null" : kinds}.`];
  }
  if (isAsExpected(wanted, value)) return [];
  const isSecret = secrets.some((name) => path.split(".")[0] === name);
  return [isSecret ? `${path} is not as expected.` : `${path} is ${describe(value)}, expected ${describe(wanted)}.`];
}

function isExpectedNumber(wanted: unknown): boolean {
  if (wanted === null || typeof wanted === "number") return true;
  if (!isObject(wanted)) return false;
  const bounds = Object.entries(wanted).filter(([, bound]) => bound !== undefined);
  const isBound = ([name, bound]: [string, unknown]) =>
    /^at(Least|Most)$/.test(name) && (typeof bound === "number" || bound === UNKNOWN);
  return bounds.length > 0 && bounds.every(isBound);
}

function isAsExpected(wanted: unknown, value: unknown): boolean {
  if (!isObject(wanted)) return wanted === value;
  const { atLeast, atMost } = wanted;
  if (typeof value !== "number") return false;
  // A bound that is left out, or not known yet in a preview, does not limit.
  return (typeof atLeast !== "number" || value >= atLeast) && (typeof atMost !== "number" || value <= atMost);
}

function describe(value: unknown): string {
  if (value === null) return "not set";
  const { atLeast, atMost } = isObject(value) ? value : {};
  if (atLeast === undefined && atMost === undefined) return printable(JSON.stringify(value));
  if (atMost === undefined) return `at least ${atLeast}`;
  return atLeast === undefined ? `at most ${atMost}` : `${atLeast} to ${atMost}`;
}
