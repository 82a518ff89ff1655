import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentLogConfigClient, AgentLogConfigError, type ConnectionOptions } from "../../sdk/client/index.ts";
import { CERTIFICATE_FILE, type ServerProcess } from "./server-process.ts";

export const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };
const MONITORING = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
const PATH = `api/public/v1.0/groups/${MONITORING.projectId}/automationConfig/monitoringAgentConfig`;

/** Writes the settings that are read, where a server that serves this folder finds them. */
export async function writeSettings(documents: string): Promise<void> {
  const file = join(documents, PATH);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"logPath":"/var/log/monitoring-agent.log"}\n');
}

/** A client of one of the server's profiles. */
export function openClient(
  { origin }: ServerProcess,
  profile: string,
  options: Partial<ConnectionOptions> = {},
): AgentLogConfigClient {
  const connection = { baseUrl: `${origin}${profile}`, ...KEYS, caCertificate: CERTIFICATE_FILE, maxRetries: 0 };
  const client = new AgentLogConfigClient({ ...connection, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Reads so many times, so many at a time, and returns how often each log path or error code came. */
export async function readMany(
  client: AgentLogConfigClient,
  reads: number,
  atATime: number,
  atHalf: () => void = () => {},
): Promise<Readonly<Record<string, number>>> {
  const ends: Record<string, number> = {};
  let begun = 0;
  const reader = async () => {
    while (begun < reads) {
      begun += 1;
      if (begun === reads / 2) atHalf();
      const end = await client.get(MONITORING).then(
        ({ logPath }) => String(logPath),
        (error: unknown) => (error instanceof AgentLogConfigError ? error.code : String(error)),
      );
      ends[end] = (ends[end] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
  return ends;
}

/** What {@link readMany} returns where all reads are right. */
export function allRight(reads: number): Readonly<Record<string, number>> {
  return { "/var/log/monitoring-agent.log": reads };
}

/** Stops the server once no connection is left, and gives its access log. */
export async function logOf(server: ServerProcess, client: AgentLogConfigClient): Promise<readonly string[]> {
  await client.close();
  return await server.stop();
}
