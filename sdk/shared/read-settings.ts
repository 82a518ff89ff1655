import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError } from "../client/errors.ts";
import { checkReadArguments, type ReadArguments } from "../client/read-arguments.ts";
import { type ConnectionSettings, readConnectionSettings } from "./connection-settings.ts";
import { refuseEngineMarks } from "./refuse-engine-marks.ts";

/** A client, or what replaces every client in a unit test. */
export interface SettingsReader {
  get(args: ReadArguments): Promise<AgentLogConfigResult>;
}

/** A process has one client for each connection, so that all reads share its sockets and its nonce. */
const clients = new Map<string, Promise<SettingsReader>>();
let replacement: SettingsReader | undefined;

/**
 * Reads settings for Pulumi, with the one client that this process has for the connection.
 * @param args the arguments of a read, not checked yet
 * @param quoteArguments whether a message may quote them; false where they are secret
 * @throws AgentLogConfigError for settings and arguments that can't work, and for a read that failed
 */
export async function readSettings(
  connection: ConnectionSettings,
  args: unknown,
  quoteArguments = true,
): Promise<AgentLogConfigResult> {
  const checked = checkReadArguments(args, quoteArguments);
  const client = replacement ?? (await clientOf(connection));
  const result = await client.get(checked);
  refuseEngineMarks(result);
  return result;
}

/** Uses this reader instead of any client until the returned function is called or another reader takes its place. */
export function replaceClients(reader: SettingsReader): () => void {
  replacement = reader;
  return () => {
    if (replacement === reader) replacement = undefined;
  };
}

export function clientsAreReplaced(): boolean {
  return replacement !== undefined;
}

function clientOf(connection: ConnectionSettings): Promise<SettingsReader> {
  const key = JSON.stringify(connection);
  const client = clients.get(key) ?? openClient(connection);
  clients.set(key, client);
  // The cause, such as a missing file, may be gone at the next read.
  client.catch(() => clients.delete(key));
  return client;
}

async function openClient(connection: ConnectionSettings): Promise<SettingsReader> {
  const options = readConnectionSettings(connection);
  refuseOtherRuntimes();
  // A program that does not read does not pay for loading undici.
  const { AgentLogConfigClient } = await import("../client/agent-log-config-client.ts");
  return new AgentLogConfigClient(options);
}

function refuseOtherRuntimes(): void {
  const { node, bun } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (bun === undefined && (major > 22 || (major === 22 && minor >= 19))) return;
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  throw new AgentLogConfigError(
    "ERR_RUNTIME",
    `Reads need Node.js 22.19 or later, and this is ${runtime}; use that version.`,
  );
}
