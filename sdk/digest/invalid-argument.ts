/** A mistake of who calls digest(). */
export function invalidArgument(message: string): TypeError {
  return Object.assign(new TypeError(`digest(): ${message}.`), { code: "ERR_INVALID_ARG_VALUE" });
}
