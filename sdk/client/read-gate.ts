import { abortable } from "./abortable.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode, CODES } from "./errors.ts";

/** How long the first read may hold the others back, in milliseconds. */
const PATIENCE_MILLISECONDS = 5000;

/** After these the gate stops all reads, because services block keys that they refuse too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** The number of refusals in a row of a key that was accepted before the gate assumes that the key was revoked. */
const REVOKED_AFTER = 3;

/** The number of projects whose reads fail in a row before the gate assumes an outage of the service. */
const OUTAGE_PROJECTS = 3;

/**
 * What the reads of a connection know of each other. One read tries the key before the others, so that a wrong key is sent
 * once. In an outage each read is sent once, for a short time, so that not all of them wait for the service.
 */
export class ReadGate {
  readonly #tried = Promise.withResolvers<void>();
  /** Ends the patience with the first read; undefined before there is one. */
  #timer: NodeJS.Timeout | undefined;
  /** The service has accepted the key, so a later refusal may concern one project. */
  #isKeyAccepted = false;
  /** The last refusal of the key. */
  #refusal: AgentLogConfigError | undefined;
  /** How often the key was refused after it was accepted last. */
  #refusals = 0;
  /** The projects whose reads failed for temporary reasons after the last read that did not. */
  readonly #failing = new Set<string>();

  /** True while no read succeeds, after those of three projects have failed for temporary reasons. */
  get isOutage(): boolean {
    return this.#failing.size >= OUTAGE_PROJECTS;
  }

  /**
   * Calls `read` after the first read has tried the key, and remembers its result.
   * @param signal ends the wait for the first read
   */
  async pass<Result>(projectId: string, read: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#timer === undefined) this.#timer = setTimeout(this.#tried.resolve, PATIENCE_MILLISECONDS).unref();
    else await abortable(this.#tried.promise, signal, () => {});
    try {
      const result = await read();
      this.#acceptKey();
      this.#failing.clear();
      return result;
    } catch (error) {
      if (error instanceof AgentLogConfigError) this.#remember(projectId, error);
      throw error;
    } finally {
      clearTimeout(this.#timer);
      this.#tried.resolve();
    }
  }

  /**
   * Returns the error of a read that must not be sent, because the service refuses the key.
   * @param subject what failed
   */
  refusalOf(subject: string): AgentLogConfigError | undefined {
    const enough = this.#isKeyAccepted ? REVOKED_AFTER : 1;
    if (this.#refusal === undefined || this.#refusals < enough) return undefined;
    const { code, says, details } = this.#refusal;
    return new AgentLogConfigError(code, says, { ...details, subject });
  }

  #acceptKey(): void {
    this.#isKeyAccepted = true;
    this.#refusals = 0;
  }

  #remember(projectId: string, error: AgentLogConfigError): void {
    const { code, temporary, status, errorCode } = error;
    // Only the service itself names a code, and only to those whose key it knows.
    if (errorCode !== undefined && !temporary && !CODES[code].everyRead) this.#acceptKey();
    // Once the key was accepted, a refusal with a code concerns one project.
    if (REFUSALS.has(code) && !(this.#isKeyAccepted && errorCode !== undefined)) {
      this.#refusal = error;
      this.#refusals += 1;
    }
    if (!temporary) this.#failing.clear();
    // Status 500 is a defect that concerns one project.
    else if (status !== 500) this.#failing.add(projectId);
  }
}
