import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { AgentLogConfigError, CODES } from "../client/errors.ts";
import { ReadGate } from "../client/read-gate.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { refuseEngineMarks } from "./engine-marks.ts";

/** What a read is to name, not checked yet. */
export interface UncheckedRead {
  readonly projectId?: unknown;
  readonly agent?: unknown;
}

/** A client, which checks the arguments. */
export interface UncheckedClient {
  get(
    args: unknown,
    options?: { readonly gate?: ReadGate; readonly isSecret?: boolean },
  ): Promise<AgentLogConfigResult>;
}

/** Reads settings for one run, with one client for each connection, so that all reads share its sockets and its nonce. */
export class SettingsReader {
  readonly #stack: string | undefined;
  readonly #connections = new Map<string, ReturnType<typeof open>>();

  /** @param stack the name that the advice after a failed connection gives; undefined where a command would not find it */
  constructor(stack?: string) {
    this.#stack = stack;
  }

  /**
   * Reads settings. No message quotes the arguments, since they may be secrets.
   * @throws AgentLogConfigError for settings and arguments that can't work, and for a read that failed
   */
  async read(connection: ConnectionSettings, args: UncheckedRead): Promise<AgentLogConfigResult> {
    try {
      const [client, gate] = await this.#open(connection);
      const result = await client.get(args, { gate, isSecret: true });
      refuseEngineMarks(result);
      return result;
    } catch (error) {
      if (error instanceof AgentLogConfigError) error.message += this.#adviceFor(error, connection, args);
      throw error;
    }
  }

  #open(connection: ConnectionSettings) {
    const key = JSON.stringify(connection);
    const opened = this.#connections.get(key) ?? open(connection);
    this.#connections.set(key, opened);
    // The cause, such as a missing file, may be gone at the next read.
    opened.catch(() => this.#connections.delete(key));
    return opened;
  }

  /**
   * Names the command that tries a connection step by step. The command knows the stack's settings, not the arguments of a
   * Provider, and not what a program of the Automation API sets.
   */
  #adviceFor({ code }: AgentLogConfigError, connection: ConnectionSettings, { projectId }: UncheckedRead): string {
    const sources = Object.values(connection).flatMap((found) => found?.source ?? []);
    const isKnown = sources.length > 0 && !sources.includes("argument") && !process.env["PULUMI_AUTOMATION_API"];
    if (!CODES[code].connection || !isKnown || this.#stack === undefined) return "";
    const option = sources.includes("stack") ? ` --stack ${this.#stack}` : "";
    return ` \`npx pulumi-agent-log-config check --project ${projectId}${option}\` says which step of the connection fails.`;
  }
}

async function open(connection: ConnectionSettings): Promise<readonly [UncheckedClient, ReadGate]> {
  // The import itself fails on a runtime that is not supported.
  const { openClient } = await import("./open-client.ts");
  return [openClient(connection), new ReadGate()];
}
