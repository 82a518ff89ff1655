import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import type { ConnectionOptions } from "../model/connection-options.ts";
import { invalidArgument } from "../model/errors.ts";
import { parseReadArguments, type ReadArguments } from "../model/read-arguments.ts";
import { isObject } from "../text/json.ts";
import { ServiceClient } from "./service-client.ts";

/** How to read. */
export interface ReadOptions {
  /** Ends the read at once, with its retries. The read then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the log settings of agents from the service.
 *
 * No connection is opened before the first read. Connections are kept for later reads and do not keep the process alive.
 * The proxy comes from the environment variable HTTPS_PROXY, or HTTP_PROXY for plain http, in upper or lower case. NO_PROXY lists
 * host names, domains and addresses, each with or without a port; ranges such as 10.0.0.0/8 are not supported.
 *
 * @example
 * ```ts
 * import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
 *
 * const client = new AgentLogConfigClient({
 *   baseUrl: "https://example.com:8443",
 *   publicKey: "publickey",
 *   privateKey: "private-key",
 * });
 * const { logPath } = await client.get({ projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * await client.close();
 * ```
 */
export class AgentLogConfigClient {
  readonly #client: ServiceClient;

  /**
   * @param options the address of the service and the key to read with
   * @throws {@link AgentLogConfigError} `ERR_INVALID_SETTINGS` for options that are invalid
   */
  constructor(options: ConnectionOptions) {
    this.#client = new ServiceClient(options);
  }

  /**
   * Reads the settings, checked and typed. Credentials and unknown fields of the response are left out.
   * @param args what to read
   * @param options `signal` ends the read
   * @throws {@link AgentLogConfigError} whose `code` says what failed; `ERR_INVALID_ARG_VALUE` for arguments that are invalid
   */
  async get(args: ReadArguments, options: ReadOptions = {}): Promise<AgentLogConfigResult> {
    refuseImpossibleOptions(options);
    const readArguments = parseReadArguments(args, { isSecret: false });
    this.#client.forgetFailures();
    return this.#client.read(readArguments, { signal: options.signal });
  }

  /** Waits for the reads under way, then closes the connections. It returns the same promise each time. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function refuseImpossibleOptions(options: unknown): void {
  const subject = "Nothing was read";
  if (!isObject(options)) throw invalidArgument("the options must be an object", subject);
  const { signal } = options;
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw invalidArgument("signal must be an AbortSignal", subject);
}
