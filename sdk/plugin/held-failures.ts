import { describeFailures, type Failure, type NamedFailure } from "../shared/group-failures.ts";

/** How long the engine has to ask for nothing before failures are reported, in milliseconds. */
const SILENCE_MILLISECONDS = 1000;

interface Failing extends NamedFailure {
  readonly urn: string;
  /** Ends the engine's call; absent where it has ended already. */
  readonly fail?: (reason: Error) => void;
}

/**
 * Holds failures until the engine has nothing more to ask, because it ends its work at the first call that fails. Then they
 * are reported together, each cause once. A call that is held occupies one of the engine's workers.
 */
export class HeldFailures {
  readonly #showError: (urn: string, message: string) => void;
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #failing: Failing[] = [];
  /** The causes that were reported, and the first resource of each. */
  readonly #reported = new Map<string, string>();

  constructor(showError: (urn: string, message: string) => void) {
    this.#showError = showError;
  }

  /** Answers a call of the engine. Nothing is reported meanwhile. */
  async during<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
    this.#running += 1;
    clearTimeout(this.#timer);
    try {
      return await answer();
    } finally {
      this.#running -= 1;
      this.#wait();
    }
  }

  /** Lets the call that is being answered fail when the engine has nothing more to ask. */
  async hold(urn: string, why: Failure): Promise<never> {
    this.#running -= 1;
    const failed = new Promise<never>((_, fail) => this.#failing.push({ ...why, urn, name: nameOf(urn), fail }));
    this.#wait();
    return failed.finally(() => {
      this.#running += 1;
    });
  }

  /** Holds the first call that fails. A later one is reported with it, and may be answered. */
  async holdOne(urn: string, why: Failure): Promise<void> {
    if (!this.#isHolding) await this.hold(urn, why);
    this.#failing.push({ ...why, urn, name: nameOf(urn) });
  }

  get #isHolding(): boolean {
    return this.#failing.some(({ fail }) => fail !== undefined);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    // An engine that goes on after a failure (--continue-on-error) need not wait for each one.
    if (this.#reported.size > 0) this.#report();
    else if (this.#running === 0 && this.#isHolding) {
      this.#timer = setTimeout(() => this.#report(), SILENCE_MILLISECONDS);
    }
  }

  #report(): void {
    for (const [cause, alike] of Map.groupBy(this.#failing.splice(0), ({ cause }) => cause)) {
      for (const { urn, name, sentence, fail } of alike) {
        const reported = this.#reported.get(cause) ?? name;
        const message =
          reported === name
            ? [sentence, ...describeFailures(alike.slice(1), [{ sentence, cause }])].join("\n")
            : `It fails for the same reason as '${reported}'.`;
        this.#reported.set(cause, reported);
        if (fail !== undefined) fail(new Error(message));
        else if (reported === name) this.#showError(urn, message);
      }
    }
  }
}

/** Returns the name of the resource with this URN. */
export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
