import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError, CODES } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { type ConnectionSettings, isArgument } from "../shared/connection-settings.ts";
import { clientsAreReplaced, readSettings } from "../shared/read-settings.ts";
import { runsWithMocks } from "./private-sdk.ts";
import { programState } from "./program-state.ts";

/**
 * Reads settings once in a program for the same connection and arguments, so that all readers see the same. A read that
 * failed is made anew.
 * @param hasWaited it waited for a resource, which may have changed the settings: such a read is always made anew
 */
export async function readOnce(
  connection: ConnectionSettings,
  args: object,
  hasWaited: boolean,
): Promise<AgentLogConfigResult> {
  refuseMocks();
  const state = programState();
  const read = () =>
    readSettings(connection, args, state?.gates).catch((error) => adviseCheck(error, connection, args));
  if (state === undefined || hasWaited) return read();
  const key = JSON.stringify([connection, args], (_, value: unknown) =>
    isObject(value) && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
  const settings = state.reads.get(key) ?? read();
  state.reads.set(key, settings);
  settings.catch(() => state.reads.delete(key));
  return settings;
}

/** Names the command that tries a connection step by step. It knows the stack's settings, not the arguments of a Provider. */
function adviseCheck(error: unknown, connection: ConnectionSettings, args: object): never {
  const settings = Object.values(connection);
  const isOfStack = settings.length > 0 && !settings.some(isArgument);
  if (error instanceof AgentLogConfigError && CODES[error.code].connection && isOfStack) {
    const project = Reflect.get(args, "projectId");
    const command = `npx pulumi-agent-log-config check --project ${project} --stack ${pulumi.getStack()}`;
    error.message += ` \`${command}\` says which step of the connection fails.`;
  }
  throw error;
}

/** @throws AgentLogConfigError `ERR_MOCKED` in a unit test that has no settings to return */
export function refuseMocks(): void {
  if (!runsWithMocks() || clientsAreReplaced()) return;
  throw new AgentLogConfigError(
    "ERR_MOCKED",
    "This unit test calls pulumi.runtime.setMocks, but has no settings to return: call answerReads of pulumi-agent-log-config/testing first.",
  );
}
