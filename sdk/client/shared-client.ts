import type { AgentLogConfigResult } from "./agent-log-config.ts";
import { type ConnectionTexts, readConnectionTexts } from "./connection-settings.ts";
import type { ReadArguments } from "./read-arguments.ts";

/** What the doors read with: a client, or what stands in for every client in a test. */
export interface SettingsReader {
  get(args: ReadArguments): Promise<AgentLogConfigResult>;
}

const clients = new Map<string, Promise<SettingsReader>>();
let standIn: SettingsReader | undefined;

/**
 * The one client of this process for the connection that these texts describe: all reads with it share sockets and a nonce.
 * @throws as {@link readConnectionTexts} and the client's constructor do
 */
export async function sharedClient(texts: ConnectionTexts): Promise<SettingsReader> {
  if (standIn !== undefined) return standIn;
  const key = JSON.stringify(texts);
  const client = clients.get(key) ?? openClient(texts);
  clients.set(key, client);
  // What was wrong, such as a missing file, may be mended by the next read.
  client.catch(() => clients.delete(key));
  return client;
}

/** Reads with this instead of any client, until what is returned is called or another one takes its place. */
export function replaceClients(reader: SettingsReader): () => void {
  standIn = reader;
  return () => {
    if (standIn === reader) standIn = undefined;
  };
}

export function clientsAreReplaced(): boolean {
  return standIn !== undefined;
}

async function openClient(texts: ConnectionTexts): Promise<SettingsReader> {
  const options = readConnectionTexts(texts);
  // Only what reads pays for loading undici and zod.
  const { AgentLogConfigClient } = await import("./agent-log-config-client.ts");
  return new AgentLogConfigClient(options);
}
