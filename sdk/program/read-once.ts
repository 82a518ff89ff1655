import { type ConnectionSettings, connectionKey } from "../connection/connection-settings.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { isObject } from "../model/is-object.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import { programState } from "./program-state.ts";

/**
 * Reads settings once in a program for the same connection and arguments, so that all readers see the same. A read that
 * failed is made anew.
 * @param args not checked yet
 * @param hasWaited it waited for a resource, which may have changed the settings: such a read is always made anew
 */
export function readOnce(
  connection: ConnectionSettings,
  args: { readonly [Name in keyof ReadArguments]: unknown },
  hasWaited: boolean,
): Promise<AgentLogConfigResult> {
  const { reads, reader } = programState();
  const readAnew = () => reader.read(connection, args);
  // An argument that is an object is refused, and no key is made of it, because a resource can't be JSON.
  if (hasWaited || isObject(args.projectId) || isObject(args.agent)) return readAnew();
  const { projectId, agent, envelope, pretty } = args;
  const key = JSON.stringify([connectionKey(connection), projectId, agent, envelope, pretty]);
  const earlierRead = reads.get(key);
  if (earlierRead !== undefined) return earlierRead;
  const newRead = readAnew();
  reads.set(key, newRead);
  newRead.catch(() => reads.delete(key));
  return newRead;
}
