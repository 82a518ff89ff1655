import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { clientsAreReplaced, readSettings } from "../shared/read-settings.ts";
import { runsWithMocks } from "./private-sdk.ts";
import type { ProgramConnection } from "./provider.ts";

/** The reads of each program; a process of the Automation API runs several programs. */
const programs = new WeakMap<pulumi.Resource, Map<string, Promise<AgentLogConfigResult>>>();

/** What a read had to wait for, and whether its arguments may be quoted. */
export interface Circumstances {
  /** It waited for a resource, which may have changed the settings: such a read is always made anew. */
  readonly hasWaited: boolean;
  /** The arguments are secret, so that no message may quote them. */
  readonly secret: boolean;
}

/**
 * Reads settings once in a program for the same connection and arguments, so that all readers see the same. A read that
 * failed is made anew.
 */
export async function readOnce(
  connection: ProgramConnection,
  args: object,
  { hasWaited, secret }: Circumstances,
): Promise<AgentLogConfigResult> {
  refuseMocks();
  const read = () => readSettings(connection.settings, args, !secret);
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || hasWaited || connection.hasWaited) return read();
  const reads = programs.get(program) ?? new Map<string, Promise<AgentLogConfigResult>>();
  programs.set(program, reads);
  const what = [secret, present(connection.settings), present(args)];
  const key = inspect(what, { depth: 9, maxStringLength: Infinity });
  const settings = reads.get(key) ?? read();
  reads.set(key, settings);
  settings.catch(() => reads.delete(key));
  return settings;
}

function present(values: object): readonly unknown[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort();
}

/** @throws AgentLogConfigError `ERR_MOCKED` in a unit test that has no settings to return */
export function refuseMocks(): void {
  if (!runsWithMocks() || clientsAreReplaced()) return;
  throw new AgentLogConfigError(
    "ERR_MOCKED",
    "This unit test calls pulumi.runtime.setMocks, but has no settings to return: call answerReads of pulumi-agent-log-config/testing first.",
  );
}
