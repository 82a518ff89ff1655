import * as pulumi from "@pulumi/pulumi";
import type { ConnectionSettings } from "../connection/connection-settings.ts";
import type { FUNCTIONS } from "../engine/resource-type.ts";
import { invalidArgument } from "../model/errors.ts";
import { failProgram, printedAsIs } from "./fail-program.ts";
import { plainValueOf, runsWithMocks } from "./private-sdk.ts";
import { connectionOf, type ProviderSettings, providerOf } from "./provider.ts";
import { waitForDependencies } from "./wait-for-resources.ts";

type FunctionName = (typeof FUNCTIONS)[keyof typeof FUNCTIONS];

/** A call of a function, once all that it needs is known. */
export interface FunctionCall {
  readonly connection: ConnectionSettings;
  /** Not checked yet. */
  readonly args: object;
  /** It has waited for a resource. */
  readonly hasWaited: boolean;
  /** No message may quote the arguments if they are invalid. */
  readonly isSecret: boolean;
}

type Read<Result> = (call: FunctionCall) => Promise<Result>;

/** Calls a function with plain arguments. In a unit test Pulumi's mocks answer, as for every package. */
export function callNow<Result>(
  name: FunctionName,
  args: object,
  opts: pulumi.InvokeOptions,
  read: Read<Result>,
): Promise<Result> {
  if (runsWithMocks()) return pulumi.runtime.invoke(name, { ...args }, opts);
  return readWith(() => connectionFor(name, opts), args, read).catch((error) => {
    throw printedAsIs(error);
  });
}

async function readWith<Result>(connect: () => ProviderSettings, args: object, read: Read<Result>): Promise<Result> {
  const { settings } = connect();
  const connection = pulumi.Output.isInstance(settings) ? await plainValueOf(settings) : settings;
  if (connection !== undefined) return read({ connection, args, hasWaited: false, isSecret: false });
  throw invalidArgument(
    "The settings of the Provider are not known yet in this preview; call getAgentLogConfigOutput or getAgentLogConfigsOutput instead.",
  );
}

/** Calls a function as soon as its arguments, its connection and its dependencies are known. */
export function callWhenKnown<Result>(
  name: FunctionName,
  args: object,
  opts: pulumi.InvokeOutputOptions,
  read: Read<Result>,
): pulumi.Output<Result> {
  if (runsWithMocks()) return pulumi.runtime.invokeOutput<Result>(name, { ...args }, opts);
  const { settings, hasWaited } = connectionFor(name, opts);
  const waits = pulumi.all([hasWaited, waitForDependencies(opts.dependsOn, args)]);
  const input = pulumi.output<object>(args);
  return pulumi
    .all([input, settings, waits, pulumi.isSecret(input)])
    .apply(([plainArgs, connection, waitResults, isSecret]) => {
      const call = { connection, args: plainArgs, hasWaited: waitResults.includes(true), isSecret };
      return read(call).catch(failProgram);
    });
}

/**
 * Returns the connection of a function, or of a component as the `parent`.
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a provider of another package, and for none in a stack that wants explicit ones
 */
function connectionFor(name: FunctionName, { provider, parent }: pulumi.InvokeOptions): ProviderSettings {
  const connection = connectionOf(provider ?? providerOf(parent), name);
  if (connection !== undefined) return connection;
  throw invalidArgument(
    "The provider belongs to another package; pass { provider: new Provider(...) } of pulumi-agent-log-config.",
  );
}
