import { AgentLogConfigClient, type ReadArguments } from "../../sdk/client/index.ts";
import { type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";

export const MONITORING: ReadArguments = { projectId: PROJECT_ID, agent: "monitoring" };
export const LOG_PATH = "/var/log/monitoring-agent.log";

/** Starts a service that knows {@link LOG_PATH}. */
export function openService(options: ServiceOptions = {}): Promise<Service> {
  return startService({ settings: { [PROJECT_ID]: { monitoring: { logPath: LOG_PATH } } }, ...options });
}

/** A client that repeats as often as it can within its 30 seconds. */
export function openClient({ baseUrl }: Pick<Service, "baseUrl">, caCertificate?: string): AgentLogConfigClient {
  const keys = { publicKey: "publickey", privateKey: "private-key-0001" };
  const connection = { baseUrl, ...keys, caCertificate, allowHttp: true };
  return new AgentLogConfigClient({ ...connection, maxRetries: 10, timeoutSeconds: 30 });
}

/** What is open in this process. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
}
