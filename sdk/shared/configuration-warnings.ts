import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTINGS,
  configurationKey,
  environmentVariable,
} from "./connection-settings.ts";

/**
 * Returns a sentence for a private key that the stack keeps in plain text, and one for misspelt settings.
 * @param configuration the stack's, with the namespace in its keys
 * @param isSecret tells whether the stack keeps a key as a secret
 */
export function configurationWarnings(
  configuration: Readonly<Record<string, unknown>>,
  isSecret: (key: string) => boolean,
): string[] {
  const warnings: string[] = [];
  const key = configurationKey("privateKey");
  if (configuration[key] && !isSecret(key)) {
    const advice = `run \`pulumi config set --secret ${key}\`, and replace the key, because the history keeps it`;
    warnings.push(`The stack keeps ${key} in plain text: ${advice}; or set ${environmentVariable("privateKey")}.`);
  }
  const known: readonly string[] = CONNECTION_SETTINGS.map(configurationKey);
  const unknown = Object.keys(configuration).filter(
    (name) => name.startsWith(`${CONFIGURATION_NAMESPACE}:`) && !known.includes(name),
  );
  if (unknown.length > 0) {
    warnings.push(
      `The stack configuration has unknown settings: ${unknown.join(", ")}; the valid ones are ${known.join(", ")}.`,
    );
  }
  return warnings;
}
