import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE } from "../engine/frozen-texts.ts";
import { type RecordedSettings, recordedSettingsOf } from "../model/agent-log-settings.ts";
import { idOf, readArgumentsSchema } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { originText } from "../record/program-origin.ts";
import { outcomeOf } from "../record/read-outcome.ts";
import { fingerprintsOf } from "../record/read-target.ts";
import { secretsBehind } from "../record/resource-arguments.ts";
import { hasEventual } from "./is-eventual.ts";
import { readOnce } from "./program-state.ts";
import { connectionOf, providerOf } from "./provider.ts";
import { customParentOf, waitForDependencies, waitForRegistration } from "./wait-for-resources.ts";

/** A resource whose settings are to be read. */
interface SettingsRequest {
  readonly name: string;
  /** Those of an AgentLogConfig. */
  readonly args: Readonly<Record<"projectId" | "agent", pulumi.Input<string>>>;
  readonly resource: pulumi.CustomResource;
  readonly opts: pulumi.CustomResourceOptions;
  /** The settings that no message may quote, and the arguments that none may quote if they are invalid. */
  readonly secrets: readonly string[];
}

export interface SettingsWithOrigin {
  /**
   * Empty settings if they could not be read, or if the provider has to read by itself. The values have no type, because the types of
   * the SDK do not end for a type that contains itself, such as JSON.
   */
  readonly settings: { readonly [Name in keyof RecordedSettings]: unknown };
  /** A {@link ProgramOrigin}. */
  readonly origin: string;
}

/**
 * Reads the settings of a resource as soon as its arguments, its connection and its dependencies are known, and all that its
 * registration waits for. It does not fail: the error of the read becomes a finding of the resource.
 */
export function readForResource(request: SettingsRequest): pulumi.Output<SettingsWithOrigin> {
  const { name, args, resource, opts } = request;
  const connection = connectionOf(providerOf(resource), `${AGENT_LOG_CONFIG_TYPE} ${name}`);
  const readArguments = { projectId: args.projectId, agent: args.agent };
  const sources = [opts.dependsOn ?? [], customParentOf(opts) ?? []].flat();
  const dependencies = waitForDependencies(sources, readArguments, resource);
  const registration = waitForRegistration(opts)?.then(() => true) ?? false;
  const waits = [connection?.waitsForResources ?? false, dependencies, registration];
  return pulumi
    .all([pulumi.output(readArguments), connection?.settings, pulumi.all(waits)])
    .apply(([plainArgs, settings, waitResults]) => readNow(request, settings, plainArgs, waitResults.includes(true)));
}

async function readNow(
  request: SettingsRequest,
  connection: ConnectionSettings | undefined,
  args: object,
  hasWaited: boolean,
): Promise<SettingsWithOrigin> {
  const { name, opts } = request;
  const secrets = [...request.secrets, ...secretsBehind(await namesOfSecrets(request.args))];
  const origin = { name, secrets, ignoreChanges: opts.ignoreChanges ?? [] };
  // Check says what is wrong with arguments that are invalid.
  const { data: readArguments } = readArgumentsSchema.safeParse(args);
  if (connection === undefined || readArguments === undefined) {
    return { settings: recordedSettingsOf({}), origin: originText(origin) };
  }
  const { baseUrl: service, publicKey } = fingerprintsOf(connection);
  const read = readOnce(connection, readArguments, hasWaited);
  const outcome = await outcomeOf(read, { id: idOf(readArguments), service });
  const [settings, failure] =
    outcome.kind === "read" ? [outcome.settings, undefined] : [recordedSettingsOf({}), outcome.finding];
  return { settings, origin: originText({ ...origin, read: { readTarget: outcome.readTarget, publicKey, failure } }) };
}

/** Returns the names of the arguments that are secrets, or have a secret inside. */
export async function namesOfSecrets(args: object): Promise<readonly string[]> {
  const names = Object.entries(args).map(async ([name, value]) => {
    return hasEventual(value) && (await pulumi.isSecret(pulumi.output(value))) ? [name] : [];
  });
  return (await Promise.all(names)).flat();
}
