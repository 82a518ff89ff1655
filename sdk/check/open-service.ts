import type { AgentLogConfigClient } from "../client/agent-log-config-client.ts";
import {
  CONNECTION_SETTING_NAMES,
  configurationKey,
  lookUpConnection,
  stackConfiguration,
} from "../shared/connection-settings.ts";
import { openClient } from "../shared/open-client.ts";
import type { StackConfiguration } from "./read-stack-configuration.ts";

/** The service as a program would reach it. */
export interface OpenedService {
  readonly client: AgentLogConfigClient;
  /** As the URL parser writes it. */
  readonly hostname: string;
  readonly isTls: boolean;
  /** Where the settings come from. */
  readonly settings: string;
}

/** @throws AgentLogConfigError for settings that are missing or can't work */
export function openService(configuration: StackConfiguration): OpenedService {
  const texts = lookUpConnection(stackConfiguration((key) => configuration[key]?.value));
  // A retry would hide the first failure.
  const client = openClient(texts, { maxRetries: 0 });
  const { hostname, protocol } = new URL(texts.baseUrl?.text ?? "");
  const found = CONNECTION_SETTING_NAMES.filter((setting) => texts[setting] !== undefined);
  const { stack, environment } = Object.groupBy(found, (setting) =>
    configuration[configurationKey(setting)]?.value ? "stack" : "environment",
  );
  const settings = [
    ...(stack ? [`from the stack: ${stack.join(", ")}`] : []),
    ...(environment ? [`from the environment: ${environment.join(", ")}`] : []),
  ].join("; ");
  return {
    client,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    isTls: protocol === "https:",
    settings,
  };
}
