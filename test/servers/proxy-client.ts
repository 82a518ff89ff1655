import { onTestFinished, vi } from "vitest";
import { AgentLogConfigClient, type ConnectionOptions, type ReadArguments } from "../../sdk/client/index.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";

export const READ: ReadArguments = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
export const PROXY_USER = "proxy-user";
/** With characters that have to be percent-encoded in an address. */
export const PROXY_PASSWORD = "p@ss:w/rd%0001";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"] as const;
type Environment = Partial<Readonly<Record<(typeof VARIABLES)[number], string>>>;

/** A service that has the settings which READ reads. */
export async function startReadableService(protocol: "https" | "http"): Promise<Service> {
  const service = await startService(protocol === "https" ? { tls: TLS } : {});
  onTestFinished(() => service.close());
  service.set(READ.projectId, "monitoring", { logPath: "/var/log/agent.log" });
  return service;
}

/** A client in an environment with these proxy variables and no others. */
export function openClient(
  { baseUrl }: Pick<Service, "baseUrl">,
  environment: Environment,
  options: Partial<ConnectionOptions> = {},
): AgentLogConfigClient {
  for (const name of VARIABLES) vi.stubEnv(name, environment[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const keys = { publicKey: "publickey", privateKey: "private-key-0001", caCertificate: CA_FILE };
  const client = new AgentLogConfigClient({ baseUrl, ...keys, allowHttp: true, maxRetries: 0, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The address of a proxy, with credentials unless they are `undefined`. */
export function proxyAddress(origin: string, password: string | undefined): string {
  const url = new URL(origin);
  const credentials = password === undefined ? "" : `${PROXY_USER}:${encodeURIComponent(password)}@`;
  return `http://${credentials}${url.host}`;
}

export function hostOf(url: string): string {
  return new URL(url).host;
}

/** What the read fails with; undefined where it does not. */
export async function failureOf(client: AgentLogConfigClient): Promise<unknown> {
  return await client.get(READ).then(
    () => undefined,
    (error: unknown) => error,
  );
}
