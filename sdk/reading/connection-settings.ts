import {
  type ConnectionOptions,
  connectionOptionsSchema,
  SECRET_CONNECTION_SETTING,
} from "../model/connection-options.ts";
import { isObject } from "../text/json.ts";
import { listUnknownNames, printable } from "../text/printable.ts";

export type ConnectionSetting = keyof ConnectionOptions;

/** The names of the connection settings, the same in a Provider's arguments and in the stack configuration. */
export const CONNECTION_SETTING_NAMES: readonly ConnectionSetting[] = Object.keys(connectionOptionsSchema.shape).filter(
  isConnectionSetting,
);

export function isConnectionSetting(name: string): name is ConnectionSetting {
  return Object.hasOwn(connectionOptionsSchema.shape, name);
}

/** A setting as it is written in configuration. */
export interface FoundSetting {
  readonly text: string;
  readonly source: "argument" | "stack" | "environment";
  /** The place that it was found in, as messages name it. */
  readonly place: string;
}

/** The settings that were found, not checked yet. */
export type ConnectionSettings = Readonly<Partial<Record<ConnectionSetting, FoundSetting>>>;

/** Looks a setting up in one place; an empty string is ignored. */
export type SettingLookUp = (setting: ConnectionSetting) => FoundSetting | undefined;

export const CONFIGURATION_NAMESPACE = "agent-log-config";

export function configurationKey(setting: ConnectionSetting): string {
  return `${CONFIGURATION_NAMESPACE}:${setting}`;
}

/** Returns the command that sets a setting in the stack, and asks for its value. */
export function configurationCommand(setting: ConnectionSetting): string {
  const option = setting === SECRET_CONNECTION_SETTING ? "--secret " : "";
  return `\`pulumi config set ${option}${configurationKey(setting)}\``;
}

/** Says how to set a setting, which is no secret, in the place that another one comes from. */
export function howToSet(setting: ConnectionSetting, value: string, source: FoundSetting["source"]): string {
  if (source === "argument") return `the argument ${setting} of the same Provider`;
  if (source === "environment") return `${environmentVariable(setting)}=${value}`;
  return `\`pulumi config set ${configurationKey(setting)} ${value}\``;
}

export function environmentVariable(setting: ConnectionSetting): string {
  return `AGENT_LOG_CONFIG_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** @param provider the name of the resource that has the arguments */
export function providerArguments(
  provider: string,
  args: Readonly<Partial<Record<ConnectionSetting, unknown>>>,
): SettingLookUp {
  const providerName = printable(provider, 80);
  return (setting) =>
    settingFrom(args[setting], "argument", `the argument ${setting} of the Provider '${providerName}'`);
}

/** @param textOf returns the value of a key of the stack configuration; undefined if it is not set */
export function stackConfiguration(textOf: (key: string) => string | undefined): SettingLookUp {
  return (setting) => {
    const key = configurationKey(setting);
    return settingFrom(textOf(key), "stack", `the configuration key ${key}`);
  };
}

/**
 * @param mappings which variables take the place of others if they are set, as in the `envVarMappings` of a Provider; the engine
 * does the same in the environment of a plugin
 */
export function environment(mappings: Readonly<Record<string, string>> = {}): SettingLookUp {
  return (setting) => {
    const variable = environmentVariable(setting);
    const mapping = Object.keys(mappings).find(
      (name) => mappings[name] === variable && process.env[name] !== undefined,
    );
    const name = mapping ?? variable;
    return settingFrom(process.env[name], "environment", `the environment variable ${name}`);
  };
}

function settingFrom(value: unknown, source: FoundSetting["source"], place: string): FoundSetting | undefined {
  const text = configurationText(value);
  return text === "" ? undefined : { text, source, place };
}

/** Returns a value of the configuration as a text, a map or a list as JSON, which no setting may be. */
export function configurationText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value ?? "");
}

/** The first look-up that finds the setting counts. */
export function lookUpSetting(setting: ConnectionSetting, lookUps: readonly SettingLookUp[]): FoundSetting | undefined {
  for (const lookUp of lookUps) {
    const firstSetting = lookUp(setting);
    if (firstSetting !== undefined) return firstSetting;
  }
  return undefined;
}

/** Looks all settings up in these places, and then in the environment. */
export function lookUpConnection(...lookUps: readonly SettingLookUp[]): ConnectionSettings {
  const all = CONNECTION_SETTING_NAMES.map(
    (setting) => [setting, lookUpSetting(setting, [...lookUps, environment()])] as const,
  );
  return Object.fromEntries(all.filter(([, setting]) => setting !== undefined));
}

/** Returns the same text for equal settings, wherever they are written. */
export function connectionKey(settings: ConnectionSettings): string {
  return JSON.stringify(CONNECTION_SETTING_NAMES.map((name) => settings[name]?.text));
}

/** Returns a sentence for a private key that the stack keeps in plain text, and one for misspelt settings. */
export function configurationWarnings(
  configuration: Readonly<Record<string, unknown>>,
  isSecret: (key: string) => boolean,
): string[] {
  const validKeys = CONNECTION_SETTING_NAMES.map(configurationKey);
  const unknownKeys = Object.keys(configuration).filter(
    (name) => name.startsWith(`${CONFIGURATION_NAMESPACE}:`) && !validKeys.includes(name),
  );
  const warnings: string[] = [];
  const key = configurationKey(SECRET_CONNECTION_SETTING);
  if (configuration[key] && !isSecret(key)) {
    const advice = `run \`pulumi config set --secret ${key}\`, and replace the key, because the history keeps it`;
    const variable = environmentVariable(SECRET_CONNECTION_SETTING);
    warnings.push(`The stack keeps ${key} in plain text: ${advice}; or set ${variable}.`);
  }
  if (unknownKeys.length > 0) {
    warnings.push(`The stack configuration has unknown settings: ${listUnknownNames(unknownKeys, validKeys)}.`);
  }
  return warnings;
}
