import type { ConnectionOptions } from "./connection.ts";
import { AgentLogConfigError, invalidArgument } from "./errors.ts";

/** The names of the connection settings; the same in a Provider's arguments and in the stack configuration. */
export const CONNECTION_SETTINGS = [
  "baseUrl",
  "publicKey",
  "privateKey",
  "caCertificate",
  "allowHttp",
  "timeoutSeconds",
  "maxRetries",
] as const;
export type ConnectionSetting = (typeof CONNECTION_SETTINGS)[number];

/** Settings as they are written in configuration: all of them text, each optional. */
export type ConnectionTexts = Readonly<Partial<Record<ConnectionSetting, string>>>;

const REQUIRED = ["baseUrl", "publicKey", "privateKey"] as const satisfies readonly ConnectionSetting[];

/** The key of a setting in the stack configuration. */
export function configurationKey(setting: ConnectionSetting): string {
  return `agent-log-config:${setting}`;
}

/** The environment variable of a setting. */
function environmentVariable(setting: ConnectionSetting): string {
  return `AGENT_LOG_CONFIG_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/**
 * Looks a setting up: what was given, else the stack configuration, else the environment. An empty text is as good as
 * none.
 */
export function lookUpSetting(
  setting: ConnectionSetting,
  given: string,
  configuration: (key: string) => string | undefined,
): string | undefined {
  return given || configuration(configurationKey(setting)) || process.env[environmentVariable(setting)] || undefined;
}

/** Looks all settings up in the stack configuration and in the environment. */
export function lookUpConnection(configuration: (key: string) => string | undefined): ConnectionTexts {
  const found = CONNECTION_SETTINGS.map((setting) => [setting, lookUpSetting(setting, "", configuration)] as const);
  return Object.fromEntries(found.filter(([, text]) => text !== undefined));
}

/**
 * Reads the texts of a connection.
 * @throws {@link AgentLogConfigError} `ERR_MISSING_SETTINGS` that names all that are missing
 * @throws TypeError with `code: "ERR_INVALID_ARG_VALUE"` for a text that is no boolean or number where one is needed
 */
export function readConnectionTexts(texts: ConnectionTexts): ConnectionOptions {
  const { baseUrl, publicKey, privateKey } = texts;
  if (!baseUrl || !publicKey || !privateKey) throw missingSettings(REQUIRED.filter((setting) => !texts[setting]));
  return {
    baseUrl,
    publicKey,
    privateKey,
    caCertificate: texts.caCertificate,
    allowHttp: readBoolean(texts, "allowHttp"),
    timeoutSeconds: readNumber(texts, "timeoutSeconds"),
    maxRetries: readNumber(texts, "maxRetries"),
  };
}

function missingSettings(missing: readonly ConnectionSetting[]): AgentLogConfigError {
  const list = (name: (setting: ConnectionSetting) => string) => missing.map(name).join(", ");
  return new AgentLogConfigError(
    "ERR_MISSING_SETTINGS",
    `Connection settings are missing: ${list(String)}. Give them to a Provider, or to the stack (pulumi config set ${list(configurationKey)}; privateKey with --secret), or in the environment (${list(environmentVariable)}).`,
  );
}

function readBoolean(texts: ConnectionTexts, setting: ConnectionSetting): boolean | undefined {
  const text = texts[setting];
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw invalidArgument(`The connection can't be used: ${setting} must be true or false, not ${JSON.stringify(text)}.`);
}

function readNumber(texts: ConnectionTexts, setting: ConnectionSetting): number | undefined {
  const text = texts[setting];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw invalidArgument(`The connection can't be used: ${setting} must be a number, not ${JSON.stringify(text)}.`);
}
