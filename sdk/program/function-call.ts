import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigError, invalidArgument } from "../client/errors.ts";
import { AGENT_LOG_CONFIG_TYPE } from "../shared/resource-type.ts";
import { plainValueOf } from "./private-sdk.ts";
import { type Connect, connectionOf, type ProgramConnection } from "./provider.ts";
import type { Circumstances } from "./read-once.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";

/** Reads as soon as the arguments, the connection and the dependencies of a function are known. */
export function callWhenKnown<Result>(
  args: object,
  opts: pulumi.InvokeOutputOptions,
  read: (connection: ProgramConnection, plain: object, circumstances: Circumstances) => Promise<Result>,
): pulumi.Output<Result> {
  const known = pulumi.output<object>(args);
  return pulumi
    .all([known, connectionFor(opts), waitForDependencies(opts.dependsOn, args), pulumi.isSecret(known)])
    .apply(([plain, connect, hasWaited, secret]) =>
      printedOnce(async () => read(connect(), plain, { hasWaited, secret })),
    );
}

/** Returns the connection of a function; an Output where it may be unknown in a preview. */
function connectionFor({ provider, parent }: pulumi.InvokeOptions): Connect | pulumi.Output<Connect> {
  const found = connectionOf(provider ?? parent?.getProvider(AGENT_LOG_CONFIG_TYPE));
  if (found !== undefined) return found;
  return () => {
    throw invalidArgument(
      "The provider of the function belongs to another package; pass { provider: new Provider(...) } of pulumi-agent-log-config.",
    );
  };
}

/** Returns the connection of a function as a plain value. */
export async function knownConnectionFor(opts: pulumi.InvokeOptions): Promise<ProgramConnection> {
  const found = connectionFor(opts);
  const connect = pulumi.Output.isInstance(found) ? await plainValueOf(found) : found;
  if (connect !== undefined) return connect();
  throw invalidArgument(
    "The settings of the Provider are not known yet in this preview; call getAgentLogConfigOutput or getAgentLogConfigsOutput instead.",
  );
}

/**
 * Makes the failure of a function one line on the terminal: where a failed Output is an input of resources, the SDK would
 * print a stack trace and one more copy of the message for each of them.
 */
export async function printedOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const failure = error instanceof AgentLogConfigError ? error : unknownFailure(error);
    const { message } = failure;
    throw Object.defineProperties(failure, {
      stack: { value: message, configurable: true },
      message: { get: () => message, set() {}, configurable: true },
    });
  }
}

function unknownFailure(error: unknown): AgentLogConfigError {
  const cause = error instanceof Error ? error : new Error(String(error));
  return new AgentLogConfigError("ERR_UNKNOWN", cause.message, { cause });
}
