/** After how many milliseconds the progress of reads is shown first, and after how many it is shown again. */
const [FIRST_MILLISECONDS, NEXT_MILLISECONDS] = [3000, 5000];

/** Says how many agents are read, if that takes long, and why the read of another one is tried again. */
export class ReadProgress {
  readonly #show: (text: string) => void;
  #count = 0;
  #failures = 0;
  /** What is said of each read that has not ended: nothing before its first retry. */
  readonly #pending = new Map<object, string | undefined>();
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  /** @param read gets a function, which it calls before each retry with the reason and the number of the attempt */
  async during<Result>(read: (onRetry: (text: string) => void) => Promise<Result>): Promise<Result> {
    const key = {};
    this.#count += 1;
    this.#pending.set(key, undefined);
    this.#timer ??= this.#showAfter(FIRST_MILLISECONDS);
    try {
      return await read((text) => this.#pending.set(key, text));
    } catch (error) {
      this.#failures += 1;
      throw error;
    } finally {
      this.#pending.delete(key);
      if (this.#pending.size === 0) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /** The timer does not keep the process alive. */
  #showAfter(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#show(this.#text());
      this.#timer = this.#showAfter(NEXT_MILLISECONDS);
    }, milliseconds).unref();
  }

  #text(): string {
    const retry = [...this.#pending.values()].findLast((text) => text !== undefined);
    // A terminal cuts the end of a line.
    if (this.#count === 1) return retry ?? "the service has not responded yet";
    const successes = this.#count - this.#pending.size - this.#failures;
    const failures = this.#failures === 0 ? "" : `, ${this.#failures} failed`;
    return `${successes} of ${this.#count} agents read${failures}${retry === undefined ? "" : `; ${retry}`}`;
  }
}
