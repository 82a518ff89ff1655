import { describeFailures, type Failure, MANY_NAMES, type NamedFailure } from "../shared/describe-failures.ts";

/**
 * How long the engine has to ask for nothing before failures are reported: as a multiple of the longest time between two of
 * its calls in this run, and in milliseconds at least and at most. It is the most while children of a fleet are known to be
 * left. Even then there is a limit, because they may be waiting for the calls that are held.
 */
const SILENCE = { longestGaps: 4, least: 1000, most: 10_000 };

interface Failing extends NamedFailure {
  readonly urn: string;
  /** Ends the engine's calls that are held. */
  readonly held: ((reason: Error) => void)[];
}

/**
 * Shows the first failure of each cause beside its resource, and holds the calls of the engine that fail until it has nothing
 * more to ask, because it ends its work at the first call that fails. Then all are reported together. A call that is held
 * occupies one of the engine's workers.
 */
export class HeldCalls {
  readonly #showError: (urn: string, message: string) => void;
  #running = 0;
  #held = 0;
  #timer: NodeJS.Timeout | undefined;
  #idleSince = Number.POSITIVE_INFINITY;
  #longestGap = 0;
  /** The children that the engine has been sent, and has neither recorded nor found to fail. */
  readonly #awaited = new Set<string>();
  /** What is not reported yet, by URN. */
  readonly #failing = new Map<string, Failing>();
  /** The causes that were shown, and the URN of the first resource of each. */
  readonly #shown = new Map<string, string>();
  #hasReported = false;

  constructor(showError: (urn: string, message: string) => void) {
    this.#showError = showError;
  }

  /** Answers a call of the engine, or reads ahead of its calls. Nothing is reported meanwhile. */
  async during<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
    if (this.#running === 0) this.#longestGap = Math.max(this.#longestGap, performance.now() - this.#idleSince);
    this.#running += 1;
    clearTimeout(this.#timer);
    try {
      return await answer();
    } finally {
      this.#leave();
    }
  }

  /** Reports nothing until this resource is registered or found to fail, unless the engine asks for nothing for long. */
  waitFor(urn: string, registered: Promise<unknown>): void {
    const forget = () => this.#forget(urn);
    this.#awaited.add(urn);
    registered.then(forget, forget);
  }

  /** Notes that a resource fails, and shows why unless that is known. */
  show(urn: string, why: Failure): void {
    this.#note(urn, why);
    this.#forget(urn);
    if (this.#shown.has(why.cause)) return;
    this.#shown.set(why.cause, urn);
    this.#showError(urn, why.sentence);
  }

  /** Lets the call that is being answered fail when the engine has nothing more to ask. */
  async hold(urn: string, why: Failure): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#note(urn, why).held.push(reject);
    this.#held += 1;
    this.#leave();
    return promise.finally(() => {
      this.#running += 1;
    });
  }

  /** Holds the first call that fails. A later one is reported with it, and may be answered. */
  async holdOne(urn: string, why: Failure): Promise<void> {
    if (this.#held === 0) await this.hold(urn, why);
    this.#note(urn, why);
  }

  /** Reports what fails: once the engine has nothing more to ask, or when it ends this process. */
  report(): void {
    clearTimeout(this.#timer);
    const failing = [...this.#failing.values()];
    this.#failing.clear();
    [this.#held, this.#hasReported] = [0, true];
    for (const [cause, alike] of Map.groupBy(failing, (each) => each.cause)) this.#reportCause(cause, alike);
  }

  #reportCause(cause: string, alike: readonly Failing[]): void {
    const shownAt = this.#shown.get(cause);
    const first = shownAt ?? alike[0]?.urn ?? "";
    this.#shown.set(cause, first);
    const others = alike.filter(({ urn, held }) => urn !== first && held.length === 0);
    const more = describeFailures(others, [{ cause, sentence: "" }], MANY_NAMES);
    const own = shownAt === undefined ? alike.slice(0, 1).map(({ sentence }) => sentence) : [];
    for (const { urn, held } of alike) {
      const told = [...own, ...more].join("\n") || "It fails for the reason shown above.";
      const message = urn === first ? told : `It fails for the same reason as '${nameOf(first)}'.`;
      for (const fail of held) fail(new Error(message));
    }
    const isTold = alike.some(({ urn, held }) => urn === first && held.length > 0);
    if (!isTold && more.length > 0) this.#showError(first, more.join("\n"));
  }

  #note(urn: string, why: Failure): Failing {
    const failing = this.#failing.get(urn) ?? { ...why, urn, name: nameOf(urn), held: [] };
    this.#failing.set(urn, failing);
    return failing;
  }

  #forget(urn: string): void {
    if (this.#awaited.delete(urn)) this.#wait();
  }

  #leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#idleSince = performance.now();
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#held === 0) return;
    // An engine that goes on after a failure (--continue-on-error) need not wait for each one.
    if (this.#hasReported) this.report();
    else if (this.#running === 0) this.#timer = setTimeout(() => this.report(), this.#silence);
  }

  get #silence(): number {
    const { longestGaps, least, most } = SILENCE;
    return this.#awaited.size > 0 ? most : Math.min(most, Math.max(least, longestGaps * this.#longestGap));
  }
}

/** Returns the name of the resource with this URN. */
export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
