import { type Connection, checkConnection } from "../client/connection.ts";
import { CONNECTION_OPTIONS, type ConnectionOptions } from "../client/connection-options.ts";
import { AgentLogConfigError } from "../client/errors.ts";

export type ConnectionSetting = keyof ConnectionOptions;

/** The names of the connection settings, the same in a Provider's arguments and in the stack configuration. */
export const CONNECTION_SETTINGS: readonly ConnectionSetting[] = Object.keys(CONNECTION_OPTIONS).filter(isSetting);

function isSetting(name: string): name is ConnectionSetting {
  return name in CONNECTION_OPTIONS;
}

/** A setting as it is written in configuration. */
export interface FoundSetting {
  readonly text: string;
  /** The place that it was found in, as messages name it. */
  readonly place: string;
}

/** The settings that were found, not checked yet. */
export type ConnectionSettings = Readonly<Partial<Record<ConnectionSetting, FoundSetting>>>;

/** Returns the value of a key of the stack configuration; undefined where it is not set. */
export type ReadConfiguration = (key: string) => string | undefined;

export const CONFIGURATION_NAMESPACE = "agent-log-config";

/** Returns the key of a setting in the stack configuration. */
export function configurationKey(setting: ConnectionSetting): string {
  return `${CONFIGURATION_NAMESPACE}:${setting}`;
}

/** Returns the environment variable of a setting. */
export function environmentVariable(setting: ConnectionSetting): string {
  return `AGENT_LOG_CONFIG_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** Looks a setting up in the argument, then in the stack configuration, then in the environment. Empty strings are ignored. */
export function lookUpSetting(
  setting: ConnectionSetting,
  argument: string,
  configuration: ReadConfiguration,
): FoundSetting | undefined {
  const key = configurationKey(setting);
  const variable = environmentVariable(setting);
  const places: readonly (readonly [string | undefined, string])[] = [
    [argument, "an argument of the Provider"],
    [configuration(key), `the configuration key ${key}`],
    [process.env[variable], `the environment variable ${variable}`],
  ];
  for (const [text, place] of places) if (text) return { text, place };
  return undefined;
}

/** Looks all settings up in the stack configuration and in the environment. */
export function lookUpConnection(configuration: ReadConfiguration): ConnectionSettings {
  const found = CONNECTION_SETTINGS.map((setting) => [setting, lookUpSetting(setting, "", configuration)] as const);
  return Object.fromEntries(found.filter(([, setting]) => setting !== undefined));
}

/**
 * Parses and checks the settings of a connection.
 * @throws AgentLogConfigError `ERR_MISSING_SETTINGS` that names all missing settings
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` that names a setting that can't work and the place it comes from
 */
export function readConnectionSettings(settings: ConnectionSettings): Connection {
  const missing = REQUIRED.filter((setting) => settings[setting] === undefined);
  if (missing.length > 0) throw missingSettings(missing);
  const values = CONNECTION_SETTINGS.map((setting) => [setting, readValue(setting, settings[setting]?.text)]);
  return checkConnection(Object.fromEntries(values), (name) => (isSetting(name) ? settings[name]?.place : undefined));
}

/** Parses booleans and numbers. Other strings stay as they are, for checkConnection to accept or reject. */
function readValue(setting: ConnectionSetting, text: string | undefined): string | number | boolean | undefined {
  const kind = CONNECTION_OPTIONS[setting];
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (kind === "number" && text !== undefined && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

const REQUIRED = ["baseUrl", "publicKey", "privateKey"] as const satisfies readonly ConnectionSetting[];

function missingSettings(missing: readonly ConnectionSetting[]): AgentLogConfigError {
  const secret = missing.includes("privateKey") ? "; privateKey with --secret" : "";
  const list = (name: (setting: ConnectionSetting) => string) => missing.map(name).join(", ");
  return new AgentLogConfigError(
    "ERR_MISSING_SETTINGS",
    `Connection settings are missing: ${list(String)}. Pass them to a Provider, or set them in the stack (pulumi config set ${list(configurationKey)}${secret}) or in the environment (${list(environmentVariable)}).`,
  );
}
