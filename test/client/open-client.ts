import { onTestFinished } from "vitest";
import { AgentLogConfigClient, type ConnectionOptions, type ReadArguments } from "../../sdk/client/index.ts";
import { ServiceClient, type ServiceReadOptions } from "../../sdk/client/service-client.ts";
import { type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { type Fault, queueFaults } from "../testing/queue-faults.ts";

export const PROJECT_ID = "0123456789abcdef01234567";
export const MONITORING: ReadArguments = { projectId: PROJECT_ID, agent: "monitoring" };
export const LOG_PATH = "/var/log/agent.log";
export const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };

interface Faults {
  readonly faults?: readonly Fault[];
}

/** Starts a service that has {@link LOG_PATH} for {@link MONITORING}, after the faults. It is closed when the test ends. */
export async function openService({ faults, ...options }: ServiceOptions & Faults = {}): Promise<Service> {
  const settings = { [PROJECT_ID]: { monitoring: { logPath: LOG_PATH } } };
  const service = await startService({ settings, ...options });
  if (faults !== undefined) queueFaults(service, ...faults);
  onTestFinished(() => service.close());
  return service;
}

/** A client that repeats nothing, unless the options say so. It is closed when the test ends. */
export function openClient(
  { baseUrl }: Pick<Service, "baseUrl">,
  options: Partial<ConnectionOptions> = {},
): AgentLogConfigClient {
  const client = new AgentLogConfigClient({ baseUrl, ...KEYS, allowHttp: true, maxRetries: 0, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The same client as a run opens it: it remembers how its reads have ended when none is under way. */
export function openClientOfRun({ baseUrl }: Pick<Service, "baseUrl">, options: Partial<ConnectionOptions> = {}) {
  const client = new ServiceClient({ baseUrl, ...KEYS, allowHttp: true, maxRetries: 0, ...options });
  onTestFinished(() => client.close());
  return { get: (args: ReadArguments, how: ServiceReadOptions = {}) => client.read(args, how) };
}

/** What {@link MONITORING} fails with; undefined where it is read. */
export async function failureOf(client: Pick<AgentLogConfigClient, "get">): Promise<unknown> {
  return client.get(MONITORING).then(
    () => undefined,
    (error: unknown) => error,
  );
}
