import { AgentLogConfigError, type AgentLogConfigErrorCode } from "./errors.ts";

/** How long the first read may hold the others back, in milliseconds. */
const PATIENCE_MILLISECONDS = 1000;

/** Services block keys that are refused too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** As many reads in a row have to fail until it counts as an outage of the service, which then lasts at least this long. */
const OUTAGE = { reads: 3, milliseconds: 60_000 };

/**
 * Keeps back the reads of a connection that would fail like those before. One read tries the key before the others, so that
 * a refused key is sent once; and in an outage the others fail at once, so that they do not all wait for the service.
 */
export class ReadGate {
  #tried: PromiseWithResolvers<void> | undefined;
  #refusal: AgentLogConfigError | undefined;
  #outage: AgentLogConfigError | undefined;
  #outageEnd = 0;
  /** How many of the last reads have failed for temporary reasons. */
  #failures = 0;

  /** @param subject what failed, if the read is not sent */
  async pass<Result>(subject: string, read: () => Promise<Result>): Promise<Result> {
    const isFirst = this.#tried === undefined;
    this.#tried ??= Promise.withResolvers();
    const { promise, resolve } = this.#tried;
    if (isFirst) setTimeout(resolve, PATIENCE_MILLISECONDS).unref();
    else await promise;
    const known = this.knownFailure(subject);
    if (known !== undefined) throw known;
    try {
      const result = await read();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (error instanceof AgentLogConfigError) this.#remember(error);
      throw error;
    } finally {
      resolve();
    }
  }

  /** Returns the error of a read that would fail like those before it. */
  knownFailure(subject: string): AgentLogConfigError | undefined {
    const known = this.#refusal ?? (performance.now() < this.#outageEnd ? this.#outage : undefined);
    if (known === undefined) return undefined;
    const { code, why, ...details } = known;
    return new AgentLogConfigError(code, why, { ...details, subject, reason: known.reason });
  }

  #remember(error: AgentLogConfigError): void {
    if (REFUSALS.has(error.code)) this.#refusal ??= error;
    this.#failures = error.temporary ? this.#failures + 1 : 0;
    if (this.#failures < OUTAGE.reads) return;
    this.#outage = error;
    this.#outageEnd = performance.now() + OUTAGE.milliseconds;
  }
}
