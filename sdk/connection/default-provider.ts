import { type AgentLogConfigError, invalidArgument } from "../model/errors.ts";
import { CONFIGURATION_NAMESPACE } from "./connection-settings.ts";

// The engine disables the default providers of plugins. It does not know that the functions of a program have a default provider,
// nor that AgentLogConfig does not share the one of all dynamic resources.

/** The packages without default providers, as a JSON list. */
const KEY = "pulumi:disable-default-providers";

/**
 * Tells whether the stack wants an explicit provider for everything that reads.
 * @param textOf returns the value of a key of the stack configuration; undefined if it is not set
 * @throws AgentLogConfigError for a value that is no list
 */
export function isDefaultDisabled(textOf: (key: string) => string | undefined): boolean {
  return listIn(textOf(KEY) || "[]").some((name) => ["*", CONFIGURATION_NAMESPACE].includes(String(name).trim()));
}

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) return list;
  } catch {}
  throw invalidArgument(`The configuration key ${KEY} must be a list of packages.`);
}

/** @param reader the resource or function that has no explicit provider */
export function missingProvider(reader: string): AgentLogConfigError {
  return invalidArgument(
    `Default provider for '${CONFIGURATION_NAMESPACE}' disabled. '${reader}' must use an explicit provider; pass { provider: new Provider(...) }.`,
  );
}
