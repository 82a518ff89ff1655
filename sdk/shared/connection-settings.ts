import { CONNECTION_SETTINGS, type ConnectionOptions } from "../client/connection-options.ts";
import { printable } from "../client/printable.ts";

export type ConnectionSetting = keyof ConnectionOptions;

/** The names of the connection settings, the same in a Provider's arguments and in the stack configuration. */
export const CONNECTION_SETTING_NAMES: readonly ConnectionSetting[] =
  Object.keys(CONNECTION_SETTINGS).filter(isConnectionSetting);

export function isConnectionSetting(name: string): name is ConnectionSetting {
  return Object.hasOwn(CONNECTION_SETTINGS, name);
}

/** Tells whether a name is that of a connection setting that is a secret. */
export function isSecretConnectionSetting(name: string): boolean {
  return isConnectionSetting(name) && CONNECTION_SETTINGS[name] === "secret";
}

/** A setting as it is written in configuration. */
export interface FoundSetting {
  readonly text: string;
  readonly source: SourceName;
  /** The place that it was found in, as messages name it. */
  readonly place: string;
}

/** Where a setting is written: as an argument of a Provider, in the configuration of the stack, or in the environment. */
type SourceName = "argument" | "stack" | "environment";

/** The settings that were found, not checked yet. */
export type ConnectionSettings = Readonly<Partial<Record<ConnectionSetting, FoundSetting>>>;

/** Where settings are written. */
export interface SettingsSource {
  readonly kind: SourceName;
  readonly textOf: (setting: ConnectionSetting) => string | undefined;
  readonly placeOf: (setting: ConnectionSetting) => string;
}

export const CONFIGURATION_NAMESPACE = "agent-log-config";

/** Returns the key of a setting in the stack configuration. */
export function configurationKey(setting: ConnectionSetting): string {
  return `${CONFIGURATION_NAMESPACE}:${setting}`;
}

/** Returns the environment variable of a setting. */
export function environmentVariable(setting: ConnectionSetting): string {
  return `AGENT_LOG_CONFIG_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** @param provider the name of the resource that has the arguments */
export function providerArguments(
  provider: string,
  args: Readonly<Partial<Record<ConnectionSetting, unknown>>>,
): SettingsSource {
  const textOf = (setting: ConnectionSetting) => (args[setting] == null ? undefined : String(args[setting]));
  const placeOf = (setting: ConnectionSetting) =>
    `the argument ${setting} of the Provider '${printable(provider, 80)}'`;
  return { kind: "argument", textOf, placeOf };
}

/** @param read returns the value of a key of the stack configuration; undefined where it is not set */
export function stackConfiguration(read: (key: string) => string | undefined): SettingsSource {
  return {
    kind: "stack",
    textOf: (setting) => read(configurationKey(setting)),
    placeOf: (setting) => `the configuration key ${configurationKey(setting)}`,
  };
}

const ENVIRONMENT: SettingsSource = {
  kind: "environment",
  textOf: (setting) => process.env[environmentVariable(setting)],
  placeOf: (setting) => `the environment variable ${environmentVariable(setting)}`,
};

/** Looks a setting up in these sources, and then in the environment. Empty strings are ignored. */
export function lookUpSetting(
  setting: ConnectionSetting,
  ...sources: readonly SettingsSource[]
): FoundSetting | undefined {
  for (const { kind, textOf, placeOf } of [...sources, ENVIRONMENT]) {
    const text = textOf(setting);
    if (text) return { text, source: kind, place: placeOf(setting) };
  }
  return undefined;
}

/** Looks all settings up in these sources, and then in the environment. */
export function lookUpConnection(...sources: readonly SettingsSource[]): ConnectionSettings {
  const found = CONNECTION_SETTING_NAMES.map((setting) => [setting, lookUpSetting(setting, ...sources)] as const);
  return Object.fromEntries(found.filter(([, setting]) => setting !== undefined));
}

/**
 * Returns a sentence for a private key that the stack keeps in plain text, and one for misspelt settings.
 * @param configuration the stack's, with the namespace in its keys
 * @param isSecret tells whether the stack keeps a key as a secret
 */
export function configurationWarnings(
  configuration: Readonly<Record<string, unknown>>,
  isSecret: (key: string) => boolean,
): string[] {
  const known = CONNECTION_SETTING_NAMES.map(configurationKey);
  const inClear = CONNECTION_SETTING_NAMES.filter((setting) => {
    const key = configurationKey(setting);
    return isSecretConnectionSetting(setting) && configuration[key] && !isSecret(key);
  });
  const unknown = Object.keys(configuration).filter(
    (name) => name.startsWith(`${CONFIGURATION_NAMESPACE}:`) && !known.includes(name),
  );
  const warnings = inClear.map((setting) => {
    const key = configurationKey(setting);
    const advice = `run \`pulumi config set --secret ${key}\`, and replace the key, because the history keeps it`;
    return `The stack keeps ${key} in plain text: ${advice}; or set ${environmentVariable(setting)}.`;
  });
  if (unknown.length === 0) return warnings;
  const names = printable(unknown.join(", "));
  return [
    ...warnings,
    `The stack configuration has unknown settings: ${names}; the valid ones are ${known.join(", ")}.`,
  ];
}
