import type { AgentLogConfigClient } from "./agent-log-config-client.ts";
import { type ConnectionTexts, readConnectionTexts } from "./connection-settings.ts";

const clients = new Map<string, Promise<AgentLogConfigClient>>();

/**
 * The one client of this process for the connection that these texts describe: all reads with it share sockets and a nonce.
 * @throws as {@link readConnectionTexts} and the client's constructor do
 */
export function sharedClient(texts: ConnectionTexts): Promise<AgentLogConfigClient> {
  const key = JSON.stringify(texts);
  const client = clients.get(key) ?? openClient(texts);
  clients.set(key, client);
  return client;
}

async function openClient(texts: ConnectionTexts): Promise<AgentLogConfigClient> {
  const options = readConnectionTexts(texts);
  // Only what reads pays for loading undici and zod.
  const { AgentLogConfigClient } = await import("./agent-log-config-client.ts");
  return new AgentLogConfigClient(options);
}
