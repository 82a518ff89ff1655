import { CONFIGURATION_NAMESPACE, CONNECTION_SETTINGS, configurationKey } from "../shared/connection-settings.ts";
import type { StackConfiguration } from "./read-stack-configuration.ts";

/** Returns what is wrong in the configuration of a stack although it may work: a readable key, and misspelt names. */
export function describeStackMistakes(configuration: StackConfiguration): string | undefined {
  const mistakes = [plainTextKey(configuration), unknownSettings(configuration)].filter((text) => text !== undefined);
  return mistakes.length === 0 ? undefined : mistakes.join(" ");
}

function plainTextKey(configuration: StackConfiguration): string | undefined {
  const key = configurationKey("privateKey");
  const entry = configuration[key];
  if (!entry?.value || entry.secret) return undefined;
  return `The stack keeps ${key} in plain text: run \`pulumi config set --secret ${key}\`, and replace the key, because the history keeps it.`;
}

function unknownSettings(configuration: StackConfiguration): string | undefined {
  const known: readonly string[] = CONNECTION_SETTINGS.map(configurationKey);
  const unknown = Object.keys(configuration).filter(
    (key) => key.startsWith(`${CONFIGURATION_NAMESPACE}:`) && !known.includes(key),
  );
  if (unknown.length === 0) return undefined;
  return `The stack has unknown settings: ${unknown.join(", ")}. The known ones are ${known.join(", ")}.`;
}
