import { connect, createServer } from "node:net";
import { pipeline, Transform } from "node:stream";
import { startService } from "pulumi-agent-log-config/testing";
import { listen } from "./listen.ts";

/** Starts a stand-in for the service that is as far away as this delay, with settings for this many projects. */
export async function startSlowService(projects: number, delayMilliseconds: number) {
  const agents = { monitoring: SETTINGS, backup: SETTINGS };
  const settings = Object.fromEntries(projectIds(projects).map((projectId) => [projectId, agents]));
  const service = await startService({ settings });
  return {
    /** The connection settings of a program that reads from it. */
    env: {
      AGENT_LOG_CONFIG_BASE_URL: await startDelay(service.baseUrl, delayMilliseconds),
      AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
      AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-0001",
      AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
    },
    countRequests: () => service.requests.length,
    /** Lets the service answer every read with this status. */
    failWith: (status: number) => service.respondWith(() => ({ status })),
    close: () => service.close(),
  };
}

export const SETTINGS = { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } };

/** The ids of this many projects. */
export function projectIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => index.toString(16).padStart(24, "0"));
}

/** Starts a way to a server on this machine on which every request takes this long, and returns its origin. */
export async function startDelay(url: string, milliseconds: number): Promise<string> {
  if (milliseconds === 0) return url;
  const server = createServer((client) => {
    const delay = new Transform({ transform: (chunk, _, done) => void setTimeout(done, milliseconds, null, chunk) });
    pipeline(client.setNoDelay(true), delay, connect(Number(new URL(url).port), "127.0.0.1"), client, () => {});
  });
  return `http://127.0.0.1:${await listen(server.unref())}`;
}
