/** After how many milliseconds the progress of reads is shown first, and after how many it is shown again. */
const [FIRST_MILLISECONDS, NEXT_MILLISECONDS] = [3000, 5000];

/** After how many it is shown again if a read has ended. */
const CHANGED_MILLISECONDS = 1000;

/** Says how many agents are read, if that takes long, and why the read of another one is tried again. */
export class ReadProgress {
  readonly #show: (text: string) => void;
  #count = 0;
  #failures = 0;
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
      return await read((text) => this.#pending.set(key, text));
    } catch (error) {
      this.#failures += 1;
      throw error;
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

  /** The cause comes first, because a terminal cuts the end of a line. */
  #text(): string {
    const retry = [...this.#pending.values()].findLast((text) => text !== undefined);
    if (this.#count === 1) return retry ?? "the service has not responded yet";
    const successes = this.#count - this.#pending.size - this.#failures;
    const failures = this.#failures === 0 ? "" : `, ${this.#failures} failed`;
    const count = `${successes} of ${this.#count}`;
    return retry === undefined ? `${count} agents read${failures}` : `${retry} (${count} read${failures})`;
  }
}
