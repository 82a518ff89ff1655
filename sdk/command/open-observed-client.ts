import type { AgentLogConfigClient } from "../client/agent-log-config-client.ts";
import {
  CONNECTION_SETTING_NAMES,
  configurationWarnings,
  lookUpConnection,
  stackConfiguration,
} from "../shared/connection-settings.ts";
import { openClient } from "../shared/open-client.ts";
import { type Findings, observeConnections } from "./observe-connections.ts";
import { readStack } from "./read-stack.ts";

/**
 * Opens the client as a program does, and adds what is found of its settings and connections.
 * @throws AgentLogConfigError for settings that are missing or invalid
 */
export async function openObservedClient(stack: string | undefined, seen: Findings): Promise<AgentLogConfigClient> {
  const configuration = stack === undefined ? {} : await readStack(stack);
  const values = Object.fromEntries(Object.entries(configuration).map(([key, { value }]) => [key, value]));
  const warnings = configurationWarnings(values, (key) => configuration[key]?.secret === true);
  if (warnings.length > 0) seen.warning = warnings.join(" ");
  const texts = lookUpConnection(stackConfiguration((key) => values[key]));
  // A program judges maxRetries too, but here a retry would hide the first failure.
  await openClient(texts).close();
  const client = openClient(texts, { maxRetries: 0 });
  observeConnections(new URL(texts.baseUrl?.text ?? ""), seen);
  const found = CONNECTION_SETTING_NAMES.filter((setting) => texts[setting] !== undefined);
  const places = Object.groupBy(found, (setting) => texts[setting]?.source ?? "environment");
  const parts = Object.entries(places).map(([place, settings]) => `from the ${place}: ${settings.join(", ")}`);
  seen.settings = parts.join("; ");
  return client;
}
