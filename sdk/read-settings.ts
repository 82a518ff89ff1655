import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "./client/agent-log-config.ts";
import type { ConnectionTexts } from "./client/connection-settings.ts";
import type { ReadArguments } from "./client/read-arguments.ts";
import { sharedClient } from "./client/shared-client.ts";
import type { ProviderConnection } from "./provider.ts";

/** The reads of each program under way; a process of the Automation API runs several. */
const programs = new WeakMap<pulumi.Resource, Map<string, Promise<AgentLogConfigResult>>>();

/** How it came to a read. */
export interface Circumstances {
  /** It waited for a resource, which may have changed what is to be read: such a read is always made anew. */
  readonly hasWaited: boolean;
  /** The arguments are secret, so that no message may quote them. */
  readonly secret: boolean;
}

/**
 * Reads settings, once in a program for the same connection and arguments: all that read them see the same. A read that has
 * failed is made anew.
 */
export async function readSettings(
  connection: ProviderConnection,
  args: ReadArguments,
  { hasWaited, secret }: Circumstances,
): Promise<AgentLogConfigResult> {
  if (secret) (await import("./client/read-arguments.ts")).checkReadArguments(args, false);
  const { texts } = connection;
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || hasWaited || connection.hasWaited) return read(texts, args);
  const reads = programs.get(program) ?? new Map<string, Promise<AgentLogConfigResult>>();
  programs.set(program, reads);
  const what = [Object.entries(texts).sort(), Object.entries(args).sort()];
  const key = inspect(what, { depth: 9, maxStringLength: Infinity });
  const settings = reads.get(key) ?? read(texts, args);
  reads.set(key, settings);
  settings.catch(() => reads.delete(key));
  return settings;
}

async function read(texts: ConnectionTexts, args: ReadArguments): Promise<AgentLogConfigResult> {
  const client = await sharedClient(texts);
  return client.get(args);
}
