import { printable } from "../digest/printable.ts";

/** Ends a sentence that says what a value must be: quotes what it is instead, if that is a text, a number or a boolean. */
export function notThis(value: unknown): string {
  return ["string", "number", "boolean"].includes(typeof value) ? `, not ${printable(JSON.stringify(value), 80)}` : "";
}
