import { onTestFinished, vi } from "vitest";
import type { AgentLogConfigClient, ConnectionOptions } from "../../sdk/client/index.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { openClient as openAnyClient, openService } from "../client/open-client.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";

export { MONITORING as READ } from "../client/open-client.ts";
export const PROXY_USER = "proxy-user";
/** With characters that have to be percent-encoded in an address. */
export const PROXY_PASSWORD = "p@ss:w/rd%0001";

const VARIABLES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"];

/** A service that has the settings which READ reads. */
export async function startReadableService(protocol: "https" | "http"): Promise<Service> {
  return openService(protocol === "https" ? { tls: TLS } : {});
}

/** A client in an environment with these proxy variables and no others. */
export function openClient(
  service: Pick<Service, "baseUrl">,
  environment: Readonly<Record<string, string>>,
  options: Partial<ConnectionOptions> = {},
): AgentLogConfigClient {
  for (const name of VARIABLES) vi.stubEnv(name, environment[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  return openAnyClient(service, { caCertificate: CA_FILE, ...options });
}

/** The address of a proxy, with credentials unless they are `undefined`. */
export function proxyAddress(origin: string, password: string | undefined): string {
  const credentials = password === undefined ? "" : `${PROXY_USER}:${encodeURIComponent(password)}@`;
  return `http://${credentials}${hostOf(origin)}`;
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
