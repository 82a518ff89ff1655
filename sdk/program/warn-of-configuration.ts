import * as pulumi from "@pulumi/pulumi";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTINGS,
  configurationKey,
  environmentVariable,
} from "../shared/connection-settings.ts";
import { isConfigSecret } from "./private-sdk.ts";

/** A process of the Automation API runs several programs, and each is warned once. */
const warned = new WeakSet<pulumi.Resource>();

/** Warns of a private key that the stack keeps in plain text, and of misspelt settings. */
export function warnOfConfiguration(): void {
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || warned.has(program)) return;
  warned.add(program);
  const key = configurationKey("privateKey");
  const configuration = pulumi.runtime.allConfig();
  if (configuration[key] && !isConfigSecret(key)) {
    const advice = `run \`pulumi config set --secret ${key}\`, and replace the key, because the history keeps it`;
    pulumi.log.warn(`The stack keeps ${key} in plain text: ${advice}; or set ${environmentVariable("privateKey")}.`);
  }
  const known: readonly string[] = CONNECTION_SETTINGS.map(configurationKey);
  const unknown = Object.keys(configuration).filter(
    (name) => name.startsWith(`${CONFIGURATION_NAMESPACE}:`) && !known.includes(name),
  );
  if (unknown.length > 0) {
    pulumi.log.warn(
      `The stack configuration has unknown settings: ${unknown.join(", ")}. The known ones are ${known.join(", ")}.`,
    );
  }
}
