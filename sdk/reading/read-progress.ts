import type { OnRetry } from "../client/service-client.ts";
import { errorOf, shortEvidence } from "../model/errors.ts";

/** After how many seconds the progress of reads is shown first. Then it is shown each second in which it has changed. */
const FIRST_SECONDS = 3;

/** Says how many agents are read and how many reads have failed, if that takes long. */
export class ReadProgress {
  readonly #show: (text: string) => void;
  readonly #isTotalKnown: boolean;
  #count = 0;
  #successes = 0;
  #failures = 0;
  #lastFailure = "";
  /** Which retry each read makes that has not ended, and why; undefined before its first one. */
  readonly #pending = new Map<object, readonly [retry: string, cause: string] | undefined>();
  #timer: NodeJS.Timeout | undefined;
  #seconds = 0;
  #shownText = "";

  /** @param isTotalKnown all reads begin together; otherwise nothing is said of how many there are */
  constructor(show: (text: string) => void, isTotalKnown = true) {
    this.#show = show;
    this.#isTotalKnown = isTotalKnown;
  }

  /** @param read gets a function, which it calls before each retry */
  async during<Result>(read: (onRetry: OnRetry) => Promise<Result>): Promise<Result> {
    const key = {};
    this.#count += 1;
    this.#pending.set(key, undefined);
    // It does not keep the process alive.
    this.#timer ??= setInterval(() => this.#noteSecond(), 1000).unref();
    try {
      const result = await read((retry, maxRetries, error) => {
        this.#pending.set(key, [`retry ${retry}/${maxRetries}`, causeOf(error)]);
      });
      this.#successes += 1;
      return result;
    } catch (error) {
      this.#failures += 1;
      this.#lastFailure = causeOf(error);
      throw error;
    } finally {
      this.#pending.delete(key);
      if (this.#pending.size === 0) this.#end();
    }
  }

  #noteSecond(): void {
    this.#seconds += 1;
    if (this.#seconds >= FIRST_SECONDS) this.#showText();
  }

  #end(): void {
    clearInterval(this.#timer);
    if (this.#shownText !== "" && this.#count > 1) this.#showText();
    this.#timer = undefined;
    this.#seconds = 0;
    this.#shownText = "";
  }

  /** Shows nothing twice in a row. */
  #showText(): void {
    const text = this.#text();
    if (text !== this.#shownText) this.#show(text);
    this.#shownText = text;
  }

  /** In a terminal of 80 columns, the Pulumi CLI shows 32 characters, so the count comes first. */
  #text(): string {
    const [retry, cause] = [...this.#pending.values()].find((each) => each !== undefined) ?? [];
    if (this.#count === 1) return retry === undefined ? "no response yet" : `${retry} (${cause})`;
    const read = `${this.#successes}${this.#isTotalKnown ? `/${this.#count}` : ""} read`;
    if (this.#failures > 0) return `${read}, ${this.#failures} failed (${this.#lastFailure})`;
    return retry === undefined ? read : `${read}, retrying (${cause})`;
  }
}

/** Returns why a read has failed in one word. */
function causeOf(thrown: unknown): string {
  return shortEvidence(errorOf(thrown)).replace(/^(?:status |(?:UND_)?ERR_)/, "");
}
