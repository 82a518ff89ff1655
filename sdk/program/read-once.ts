import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { isObject } from "../client/is-object.ts";
import { adviseCheck } from "../shared/advise-check.ts";
import type { ConnectionSettings } from "../shared/connection-settings.ts";
import { readSettings } from "../shared/read-settings.ts";
import { programState } from "./program-state.ts";

/**
 * Reads settings once in a program for the same connection and arguments, so that all readers see the same. A read that
 * failed is made anew.
 * @param isSecret the arguments may have secrets, so that no message may quote them
 * @param hasWaited it waited for a resource, which may have changed the settings: such a read is always made anew
 */
export async function readOnce(
  connection: ConnectionSettings,
  args: object,
  hasWaited: boolean,
  isSecret = true,
): Promise<AgentLogConfigResult> {
  const state = programState();
  // A program that the Automation API runs in its own process has no stack that a command would find.
  const stack = process.env["PULUMI_NODEJS_STACK"];
  const read = () =>
    readSettings(connection, args, state?.gates, isSecret).catch((error) =>
      adviseCheck(error, connection, args, stack),
    );
  if (state === undefined || hasWaited) return read();
  const key = JSON.stringify([connection, args], (_, value: unknown) =>
    isObject(value) && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
  const settings = state.reads.get(key) ?? read();
  state.reads.set(key, settings);
  settings.catch(() => state.reads.delete(key));
  return settings;
}
