import { AgentLogConfigError, type AgentLogConfigErrorCode, CODES } from "./errors.ts";

/** How long the first read may hold the others back, in milliseconds. */
const PATIENCE_MILLISECONDS = 5000;

/** After these the gate stops all reads, because services block keys that they refuse too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** After so many in a row, of projects in an outage or of a key that was accepted, the gate expects more of them. */
const FAILURES_IN_A_ROW = 3;

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
  /** The refusals of the key since it was accepted last. */
  #refusals: AgentLogConfigError[] = [];
  /** The projects whose reads failed for temporary reasons after the last read that did not. */
  readonly #failing = new Set<string>();

  /** True while no read succeeds, after those of three projects have failed for temporary reasons. */
  get isOutage(): boolean {
    return this.#failing.size >= FAILURES_IN_A_ROW;
  }

  /** Calls `read` after the first read has tried the key, and remembers its result. */
  async pass<Result>(projectId: string, read: () => Promise<Result>): Promise<Result> {
    if (this.#timer === undefined) this.#timer = setTimeout(this.#tried.resolve, PATIENCE_MILLISECONDS).unref();
    else await this.#tried.promise;
    try {
      const result = await read();
      this.#noteAnswer();
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
    const refusal = this.#refusals[this.#isKeyAccepted ? FAILURES_IN_A_ROW - 1 : 0];
    if (refusal === undefined) return undefined;
    const { code, details } = refusal;
    return new AgentLogConfigError(code, details.says, { ...details, subject });
  }

  #noteAnswer(): void {
    this.#isKeyAccepted = true;
    this.#refusals = [];
    this.#failing.clear();
  }

  #remember(projectId: string, error: AgentLogConfigError): void {
    const { code, temporary, status, errorCode } = error;
    // Only the service itself names a code, and only to those whose key it knows.
    if (errorCode !== undefined && !temporary && !CODES[code].everyRead) this.#noteAnswer();
    // Once the key was accepted, a refusal with a code concerns one project.
    if (REFUSALS.has(code) && !(this.#isKeyAccepted && errorCode !== undefined)) this.#refusals.push(error);
    if (!temporary) this.#failing.clear();
    // Status 500 is a defect that concerns one project.
    else if (status !== 500) this.#failing.add(projectId);
  }
}
