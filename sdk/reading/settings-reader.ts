import type { ServiceClient, ServiceReadOptions } from "../client/service-client.ts";
import { refuseEngineMarks } from "../engine/engine-marks.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { AgentLogConfigError } from "../model/errors.ts";
import { type ConnectionSettings, connectionKey } from "./connection-settings.ts";

/** The arguments of a read, not checked yet. */
export interface UncheckedRead {
  readonly projectId?: unknown;
  readonly agent?: unknown;
}

/**
 * Reads settings for one run. A run has one client for each connection, so that its reads share sockets and nonces, and the errors of
 * some decide whether others are sent. The clients end with the process: their sockets do not keep it alive.
 */
export class SettingsReader {
  readonly #clients = new Map<string, ServiceClient>();
  readonly #progress: ReadProgress;

  /** @param showProgress shows how far the reads are, if they take long */
  constructor(showProgress: (text: string) => void) {
    this.#progress = new ReadProgress(showProgress);
  }

  /**
   * Reads settings. No message quotes arguments that are invalid, since they may be secrets.
   * @throws AgentLogConfigError for settings and arguments that are invalid, and for a read that failed
   */
  read(connection: ConnectionSettings, args: UncheckedRead): Promise<AgentLogConfigResult> {
    return this.#progress.during(async (onRetry) => {
      // The import itself fails on a runtime that is not supported.
      const { openClient } = await import("./open-client.ts");
      const key = connectionKey(connection);
      // A client that can't be opened is not kept, because the message names the places of the settings, and these may be others in
      // an equal connection.
      const client = this.#clients.get(key) ?? openClient(connection);
      this.#clients.set(key, client);
      return readUsable(connection, client, args, { onRetry, isSecret: true });
    });
  }
}

/** Reads settings that the engine does not misread. */
export async function readUsable(
  connection: ConnectionSettings,
  client: ServiceClient,
  args: UncheckedRead,
  options: ServiceReadOptions,
): Promise<AgentLogConfigResult> {
  const result = await client.read(args, options).catch((error) => {
    throw error instanceof AgentLogConfigError ? withPlacesOfKey(error, connection) : error;
  });
  refuseEngineMarks(result);
  return result;
}

/** Says of a wrong key where its halves come from, if they come from two places. */
function withPlacesOfKey(
  error: AgentLogConfigError,
  { publicKey, privateKey }: ConnectionSettings,
): AgentLogConfigError {
  if (error.code !== "ERR_WRONG_KEY" || publicKey?.source === privateKey?.source) return error;
  return error.advised(`publicKey comes from ${publicKey?.place}, and privateKey from ${privateKey?.place}.`);
}

/** After how many milliseconds the progress of reads is shown first, and after how many it is shown again. */
const [FIRST_MILLISECONDS, NEXT_MILLISECONDS] = [3000, 5000];

/** After how many it is shown again if a read has ended. */
const CHANGED_MILLISECONDS = 1000;

/** The characters that the Pulumi CLI leaves for it in a terminal of 80 columns. */
const MAX_CHARACTERS = 32;

/** Says how many agents are read, if that takes long, and why the read of another one is tried again. */
export class ReadProgress {
  readonly #show: (text: string) => void;
  #count = 0;
  #successes = 0;
  /** What is said of each read that has not ended: nothing before its first retry. */
  readonly #pending = new Map<object, string | undefined>();
  #timer: NodeJS.Timeout | undefined;
  /** When it was shown last, on the clock of `performance`; undefined if nothing has taken long since all reads had ended. */
  #shownAt: number | undefined;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  /** @param read gets a function, which it calls before each retry with what is to be said of it */
  async during<Result>(read: (onRetry: (text: string) => void) => Promise<Result>): Promise<Result> {
    const key = {};
    this.#count += 1;
    this.#pending.set(key, undefined);
    if (this.#timer === undefined) this.#showAfter(FIRST_MILLISECONDS);
    try {
      const result = await read((text) => this.#pending.set(key, text));
      this.#successes += 1;
      return result;
    } finally {
      this.#pending.delete(key);
      this.#noteEnd();
    }
  }

  #noteEnd(): void {
    if (this.#shownAt !== undefined)
      this.#showAfter(Math.max(0, this.#shownAt + CHANGED_MILLISECONDS - performance.now()));
    if (this.#pending.size > 0) return;
    clearTimeout(this.#timer);
    if (this.#shownAt !== undefined && this.#count > 1) this.#show(this.#text());
    this.#timer = this.#shownAt = undefined;
  }

  /** The timer does not keep the process alive. */
  #showAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#shownAt = performance.now();
      this.#show(this.#text());
      this.#showAfter(NEXT_MILLISECONDS);
    }, milliseconds).unref();
  }

  /** Of a retry only the cause is said, or nothing, if the count would be cut. */
  #text(): string {
    const retry = [...this.#pending.values()].findLast((text) => text !== undefined);
    const why = retry ?? (this.#pending.size < this.#count ? "" : "no response yet");
    if (this.#count === 1) return why;
    const count = `${this.#successes}/${this.#count} read`;
    const texts = [why, why.replace(/^.*\((.*)\)$/, "$1")].filter(Boolean).map((text) => `${text}, ${count}`);
    return texts.find(({ length }) => length <= MAX_CHARACTERS) ?? count;
  }
}
