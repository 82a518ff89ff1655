import type { ServiceVersion } from "./agent-log-config-result.ts";

/** Reads the header with the service's version. Its name contains the vendor's, and its parts may be cut off or missing. */
export function readServiceVersion(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ServiceVersion | undefined {
  const name = Object.keys(headers).find((key) => /^x-.+-service-version$/i.test(key));
  const value = name === undefined ? undefined : [headers[name] ?? []].flat()[0];
  if (value === undefined) return undefined;
  return { gitHash: GIT_HASH.exec(value)?.[1], versionString: VERSION_STRING.exec(value)?.[1] };
}

const GIT_HASH = /(?:^|;)\s*gitHash=([\w.+-]{1,100})\s*(?:;|$)/;
const VERSION_STRING = /(?:^|;)\s*versionString=([\w.+-]{1,100})\s*(?:;|$)/;
