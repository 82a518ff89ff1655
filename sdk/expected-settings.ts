import type * as pulumi from "@pulumi/pulumi";
import type { LogRotate } from "./client/agent-log-config.ts";
import type { RecordedSettings } from "./client/recorded-settings.ts";

/** Settings as they should be; what is left out may be anything. */
export interface ExpectedSettings {
  /** Absolute path of the agent's log file. */
  readonly logPath?: pulumi.Input<string> | undefined;
  /** The same for Windows hosts, in the service's own spelling. */
  readonly logPathWindows?: pulumi.Input<string> | undefined;
  /** Thresholds, each in the unit of {@link LogRotate}; one that is left out may be anything. */
  readonly logRotate?: pulumi.Input<{ readonly [K in keyof LogRotate]?: pulumi.Input<number> | undefined }> | undefined;
  /** The database user that manages the agent's logs. */
  readonly username?: pulumi.Input<string> | undefined;
}

/**
 * Says of each setting that is not as expected what was expected and what was found.
 * @param secret the expectation is one, so that neither value may be printed
 */
export function unmetExpectations(
  expected: pulumi.Unwrap<ExpectedSettings>,
  settings: RecordedSettings,
  secret: boolean,
): string[] {
  const { logRotate, ...rest } = expected;
  return [
    ...compare("", SETTINGS, rest, settings, secret),
    ...compare("logRotate.", THRESHOLDS, logRotate ?? {}, settings.logRotate ?? {}, secret),
  ];
}

function compare(path: string, known: readonly string[], expected: object, found: object, secret: boolean): string[] {
  const values = new Map<string, unknown>(Object.entries(found));
  return Object.entries(expected)
    .filter(([name, value]) => value !== undefined && value !== null && value !== values.get(name))
    .map(([name, value]) => {
      if (!known.includes(name)) return `expect has no setting ${path}${name}.`;
      const what = secret ? "not as expected" : `${say(values.get(name))}, expected ${say(value)}`;
      return `${path}${name} is ${what}.`;
    });
}

/** Not configOverrides, whose value must not be printed. */
const SETTINGS: readonly string[] = ["logPath", "logPathWindows", "username"] satisfies (keyof ExpectedSettings)[];

const THRESHOLDS: readonly string[] = [
  "sizeThresholdMB",
  "timeThresholdHrs",
  "numUncompressed",
  "percentOfDiskspace",
  "numTotal",
] satisfies (keyof LogRotate)[];

function say(value: unknown): string {
  return value === undefined || value === null ? "not set" : JSON.stringify(value);
}
