import type { ServiceVersion } from "./agent-log-config-result.ts";

/**
 * Reads the version header (contract, section 9). Its name holds the vendor's, and it may be cut or missing: what can't be
 * read is undefined and never an error.
 */
export function readServiceVersion(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ServiceVersion | undefined {
  const name = Object.keys(headers).find((key) => /^x-.+-service-version$/i.test(key));
  const value = name === undefined ? undefined : [headers[name] ?? []].flat()[0];
  if (value === undefined) return undefined;
  return { gitHash: GIT_HASH.exec(value)?.[1], versionString: VERSION_STRING.exec(value)?.[1] };
}

const GIT_HASH = /(?:^|;)\s*gitHash=([^;\s]+)/;
const VERSION_STRING = /(?:^|;)\s*versionString=([^;\s]+)/;
