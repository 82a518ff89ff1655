import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE } from "../engine/frozen-texts.ts";
import { type RecordedSettings, recordedSettingsOf, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { readArgumentsSchema } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { outcomeOf } from "../record/find-outcome.ts";
import { originText } from "../record/program-origin.ts";
import { fingerprintsOf, readTargetOf } from "../record/read-target.ts";
import { secretNamesBehind } from "../record/resource-arguments.ts";
import { internalProperties } from "../record/resource-properties.ts";
import { hasEventual } from "./is-eventual.ts";
import { whereItFails } from "./program-report.ts";
import { readShared } from "./program-state.ts";
import { connectionOf, providerOf } from "./provider.ts";
import { namesOfSecrets, secretInputs } from "./resource-options.ts";
import { dependenciesIn, waitForDependencies, waitForRegistration } from "./wait-for-resources.ts";

/** A resource whose settings are to be read. */
interface ReadRequest {
  readonly name: string;
  /** Those of an AgentLogConfig. */
  readonly args: Readonly<Record<"projectId" | "agent", pulumi.Input<string>>>;
  readonly opts: pulumi.CustomResourceOptions;
  /** The outputs that are secrets. */
  readonly secrets: readonly string[];
}

interface SettingsWithOrigin {
  /**
   * Empty settings if they could not be read, or if the provider has to read by itself. The values have no type, because the types of
   * the SDK do not end for a type that contains itself, such as JSON.
   */
  readonly settings: { readonly [Name in keyof RecordedSettings]: unknown };
  /** A {@link ProgramOrigin}. */
  readonly origin: string;
}

/**
 * The read of a resource. The settings themselves are inputs, so that the engine knows them in the first preview and compares them in
 * each later one. What they were read for travels with them, so that the provider can tell whether they belong to the record.
 */
export class ResourceRead {
  /** They resolve once the read has ended. */
  readonly inputs: pulumi.Inputs;
  readonly #request: ReadRequest;
  readonly #result = Promise.withResolvers<pulumi.Output<SettingsWithOrigin>>();

  constructor(request: ReadRequest) {
    this.#request = request;
    const { args, secrets } = request;
    const read = pulumi.output(this.#result.promise);
    // As with every resource, a secret argument makes no output a secret.
    const visibleRead = hasEventual([args.projectId, args.agent]) ? pulumi.unsecret(read) : read;
    const settings = SETTING_NAMES.map((name) => [name, visibleRead.apply(({ settings }) => settings[name])] as const);
    const origin = read.apply(({ origin }) => origin);
    this.inputs = {
      ...secretInputs({ ...args, ...Object.fromEntries(settings) }, secrets),
      ...internalProperties({ origin, failsIn: whereItFails() }),
    };
  }

  /**
   * Reads as soon as the arguments, the connection and the dependencies are known, and all that the registration waits for. It does not
   * fail: the error of the read becomes a finding of the resource.
   * @param resource knows its provider only after its constructor has taken the inputs
   */
  start(resource: pulumi.CustomResource): void {
    const { name, args, opts } = this.#request;
    const connection = connectionOf(providerOf(resource), `${AGENT_LOG_CONFIG_TYPE} ${name}`);
    const readArguments = { projectId: args.projectId, agent: args.agent };
    const dependencies = waitForDependencies(dependenciesIn(opts), readArguments, resource);
    const registration = waitForRegistration(opts)?.then(() => true) ?? false;
    const waits = [connection?.waitsForResources ?? false, dependencies, registration];
    const result = pulumi
      .all([pulumi.output(readArguments), connection?.settings, pulumi.all(waits)])
      .apply(([plainArgs, settings, waitResults]) =>
        readNow(this.#request, settings, plainArgs, waitResults.includes(true)),
      );
    this.#result.resolve(result);
  }
}

async function readNow(
  request: ReadRequest,
  connection: ConnectionSettings | undefined,
  args: object,
  hasWaited: boolean,
): Promise<SettingsWithOrigin> {
  const { name, opts } = request;
  const secrets = [...request.secrets, ...secretNamesBehind(await namesOfSecrets(request.args))];
  const origin = { name, secrets, ignoreChanges: opts.ignoreChanges ?? [] };
  // Check says what is wrong with arguments that are invalid.
  const { data: readArguments } = readArgumentsSchema.safeParse(args);
  if (connection === undefined || readArguments === undefined) {
    return { settings: recordedSettingsOf({}), origin: originText(origin) };
  }
  const read = readShared(connection, readArguments, hasWaited);
  const outcome = await outcomeOf(read, readTargetOf(readArguments, connection));
  const settings = outcome.kind === "read" ? outcome.settings : recordedSettingsOf({});
  const failure = outcome.kind === "failed" ? outcome.finding : undefined;
  const { publicKey } = fingerprintsOf(connection);
  return { settings, origin: originText({ ...origin, read: { readTarget: outcome.readTarget, publicKey, failure } }) };
}
