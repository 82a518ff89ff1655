import * as pulumi from "@pulumi/pulumi";
import type { ConnectionSettings } from "../connection/connection-settings.ts";
import type { FUNCTIONS } from "../engine/resource-type.ts";
import { type AgentLogConfigError, errorOf, invalidArgument } from "../model/errors.ts";
import { printedAsIs } from "./printed-as-is.ts";
import { plainValueOf, runsInline, runsWithMocks } from "./private-sdk.ts";
import { connectionOf, type ProviderSettings, providerOf } from "./provider.ts";
import { waitForDependencies } from "./wait-for-resources.ts";

type FunctionName = (typeof FUNCTIONS)[keyof typeof FUNCTIONS];

/** A call of a function, once all that it needs is known. */
export interface Call {
  readonly connection: ConnectionSettings;
  /** Not checked yet. */
  readonly args: object;
  /** It has waited for a resource. */
  readonly hasWaited: boolean;
  /** No message may quote the arguments if they are invalid. */
  readonly isSecret: boolean;
}

type Read<Result> = (call: Call) => Promise<Result>;

/** Calls a function with plain arguments. In a unit test Pulumi's mocks answer, as for every package. */
export function callNow<Result>(
  name: FunctionName,
  args: object,
  opts: pulumi.InvokeOptions,
  read: Read<Result>,
): Promise<Result> {
  if (runsWithMocks()) return pulumi.runtime.invoke(name, { ...args }, opts);
  return printedOnce(async () => {
    const { settings } = connectionFor(opts);
    const connection = pulumi.Output.isInstance(settings) ? await plainValueOf(settings) : settings;
    if (connection !== undefined) return read({ connection, args, hasWaited: false, isSecret: false });
    throw invalidArgument(
      "The settings of the Provider are not known yet in this preview; call getAgentLogConfigOutput or getAgentLogConfigsOutput instead.",
    );
  });
}

/** Calls a function as soon as its arguments, its connection and its dependencies are known. */
export function callWhenKnown<Result>(
  name: FunctionName,
  args: object,
  opts: pulumi.InvokeOutputOptions,
  read: Read<Result>,
): pulumi.Output<Result> {
  if (runsWithMocks()) return pulumi.runtime.invokeOutput<Result>(name, { ...args }, opts);
  const { settings, hasWaited } = connectionFor(opts);
  const waits = pulumi.all([hasWaited, waitForDependencies(opts.dependsOn, args)]);
  const given = pulumi.output<object>(args);
  return pulumi.all([given, settings, waits, pulumi.isSecret(given)]).apply(([plain, connection, waited, isSecret]) => {
    const call = { connection, args: plain, hasWaited: waited.includes(true), isSecret };
    return printedOnce(() => read(call)).catch(failProgram);
  });
}

/**
 * Returns the connection of a function, or of a component as the `parent`.
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for a provider of another package
 */
function connectionFor({ provider, parent }: pulumi.InvokeOptions): ProviderSettings {
  const found = connectionOf(provider ?? providerOf(parent));
  if (found !== undefined) return found;
  throw invalidArgument(
    "The provider belongs to another package; pass { provider: new Provider(...) } of pulumi-agent-log-config.",
  );
}

async function printedOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw printedAsIs(errorOf(error));
  }
}

/**
 * Fails the program by a rejection that nobody handles, because the SDK handles those of Outputs late, of which Node.js warns.
 * The Output stays without a value. A unit test and an inline program see the failure of the Output itself.
 */
function failProgram(error: AgentLogConfigError): Promise<never> {
  if (runsWithMocks() || runsInline()) throw error;
  void Promise.reject(error);
  return new Promise(() => {});
}
