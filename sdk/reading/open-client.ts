import { ServiceClient } from "../client/service-client.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import {
  type ConnectionSetting,
  type ConnectionSettings,
  configurationCommand,
  environmentVariable,
  howToSet,
  isConnectionSetting,
} from "./connection-settings.ts";

/** Opens the client of a connection. Its module loads undici, so it is imported only for a read. */
export function openClient(settings: ConnectionSettings): ServiceClient {
  const missingNames = REQUIRED.filter((setting) => settings[setting] === undefined);
  if (missingNames.length > 0) throw missingSettings(missingNames);
  const texts = Object.entries(settings).flatMap(([name, setting]) =>
    setting === undefined ? [] : [[name, setting.text] as const],
  );
  const placeOf = (name: string) =>
    isConnectionSetting(name) ? (settings[name]?.place ?? howToAllowHttp(name, settings)) : undefined;
  return new ServiceClient(parseTexts(Object.fromEntries(texts)), placeOf);
}

/** Plain http is allowed in the place that the address comes from. */
function howToAllowHttp(name: ConnectionSetting, { baseUrl }: ConnectionSettings): string | undefined {
  return name === "allowHttp" && baseUrl !== undefined ? howToSet(name, "true", baseUrl.source) : undefined;
}

const REQUIRED = ["baseUrl", "publicKey", "privateKey"] as const satisfies readonly ConnectionSetting[];

function missingSettings(names: readonly ConnectionSetting[]): AgentLogConfigError {
  const list = (name: (setting: ConnectionSetting) => string) => names.map(name).join(", ");
  return new AgentLogConfigError(
    "ERR_MISSING_SETTINGS",
    `Connection settings are missing: ${list(String)}. Pass them to a Provider, or set them in the stack (${list(configurationCommand)}) or in the environment (${list(environmentVariable)}).`,
  );
}

/** Parses the booleans and numbers among settings that were written as text; other texts stay as they are. */
export function parseTexts(texts: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = { ...texts };
  const { allowHttp, timeoutSeconds, maxRetries } = texts;
  if (allowHttp === "true" || allowHttp === "false") values["allowHttp"] = allowHttp === "true";
  for (const [name, text = ""] of Object.entries({ timeoutSeconds, maxRetries })) {
    if (/^-?\d+(?:\.\d+)?$/.test(text)) values[name] = Number(text);
  }
  return values;
}
