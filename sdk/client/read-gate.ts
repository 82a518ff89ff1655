import { AgentLogConfigError, type AgentLogConfigErrorCode, CODES } from "../model/errors.ts";
import { abortable } from "../transport/abortable.ts";
import { isServiceCode } from "./service-error.ts";

/** How long the first read may hold the others back, in milliseconds. */
const TRIAL_MILLISECONDS = 5000;

/** They are about the key or the caller, so about every read, and services block keys that they refuse too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** So many refusals in a row stop the other reads once the key was accepted; before, the first one does. */
const MAX_REFUSALS = 3;

/**
 * So many reads in a row that ended in an outage, each after all its retries, stop the others. No more are under way than could be the
 * last of them, and never more than a client has connections, which is 16.
 */
const MAX_OUTAGES = 32;

/** How long they do, in milliseconds. Then one read tries again. */
const OUTAGE_MILLISECONDS = 60_000;

/** Rate limits and defects, which the service has for one project, so that they are no outage of all. */
const STATUSES_OF_ONE_PROJECT: readonly unknown[] = [429, 500];

/** A read that is to be sent. */
export interface Turn {
  /** What failed if it is not sent. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * What the reads of a connection know of each other. It stops those that are certain to fail: after refusals of the key or of the
 * caller's address, and after many outages in a row. What one project fails with concerns no other.
 */
export class ReadGate {
  #underWay = 0;
  /** Until then one read alone tries the key, unless it ends before. */
  #opensAt = Infinity;
  #refusalsLeft = 1;
  /** The reads in a row that ended in an outage. */
  #outages = 0;
  /** Why no read is sent, and until when. */
  #stop: { readonly until: number; readonly failure: AgentLogConfigError; readonly why: string } | undefined;
  /** Resolves when a read ends or the trial is over; undefined while no read waits. */
  #changed: PromiseWithResolvers<void> | undefined;

  /** Sends a read in its turn, and remembers how it ends. */
  async pass<Result>(turn: Turn, send: () => Promise<Result>): Promise<Result> {
    for (;;) {
      this.admit(turn);
      const trial = this.#opensAt - performance.now();
      if (this.#underWay < (trial > 0 ? 1 : MAX_OUTAGES - this.#outages)) break;
      await this.#change(turn, trial > 0 ? trial : undefined);
    }
    this.#underWay += 1;
    this.#opensAt = Math.min(this.#opensAt, performance.now() + TRIAL_MILLISECONDS);
    try {
      const result = await send();
      this.#note();
      return result;
    } catch (error) {
      // A read that its caller gives up says nothing about the service.
      if (error instanceof AgentLogConfigError && turn.signal?.aborted !== true) this.#note(error);
      throw error;
    } finally {
      this.#underWay -= 1;
      // Where the caller has given the first one up, the next one tries the key.
      if (turn.signal?.aborted !== true) this.#opensAt = 0;
      this.#tellChange();
    }
  }

  /** @throws AgentLogConfigError for a read that is certain to fail; the signal's reason */
  admit({ subject, signal }: Turn): void {
    signal?.throwIfAborted();
    if (this.#stop === undefined || this.#stop.until <= performance.now()) return;
    const { failure, why } = this.#stop;
    const { reason } = failure.details;
    const says = `not sent, because ${why}: ${reason}`;
    throw new AgentLogConfigError(failure.code, says, { subject, reason, unsentAfter: failure });
  }

  /** @param error what a read failed with, if it did */
  #note(error?: AgentLogConfigError): void {
    const isOutage = error?.temporary === true && !STATUSES_OF_ONE_PROJECT.includes(error.status);
    this.#outages = isOutage ? this.#outages + 1 : 0;
    if (error === undefined || provesKey(error)) {
      this.#refusalsLeft = MAX_REFUSALS;
      this.#stop = undefined;
    } else if (REFUSALS.has(error.code)) {
      this.#refusalsLeft -= 1;
      if (this.#refusalsLeft === 0) this.#stop = { until: Infinity, failure: error, why: "other reads were refused" };
    } else if (this.#outages === MAX_OUTAGES) {
      // One read may try again, and is the last of as many if it fails.
      this.#outages = MAX_OUTAGES - 1;
      const why = `the last ${MAX_OUTAGES} reads have failed`;
      this.#stop = { until: performance.now() + OUTAGE_MILLISECONDS, failure: error, why };
    }
  }

  /** Waits until a read ends, at most so many milliseconds. */
  async #change({ signal }: Turn, milliseconds: number | undefined): Promise<void> {
    const timer = milliseconds === undefined ? undefined : setTimeout(() => this.#tellChange(), milliseconds);
    this.#changed ??= Promise.withResolvers();
    await abortable(this.#changed.promise, signal).finally(() => clearTimeout(timer));
  }

  #tellChange(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }
}

/** The service names a code that concerns a project alone to those whose key it knows; a limit may come before it looks at the key. */
function provesKey({ code, errorCode, temporary }: AgentLogConfigError): boolean {
  return isServiceCode(errorCode) && CODES[code].everyRead !== true && !temporary;
}
