import * as pulumi from "@pulumi/pulumi";
import { configurationWarnings } from "../shared/configuration-warnings.ts";
import { isConfigSecret } from "./private-sdk.ts";

/** A process of the Automation API runs several programs, and each is warned once. */
const warned = new WeakSet<pulumi.Resource>();

/** Warns of a private key that the stack keeps in plain text, and of misspelt settings. */
export function warnOfConfiguration(): void {
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || warned.has(program)) return;
  warned.add(program);
  for (const warning of configurationWarnings(pulumi.runtime.allConfig(), isConfigSecret)) pulumi.log.warn(warning);
}
