import { AgentLogConfigError, type AgentLogConfigErrorCode, CODES } from "../model/errors.ts";
import { abortable } from "../transport/abortable.ts";
import { isForKnownKey } from "./service-error.ts";

/** How long the first read may hold the others back, in milliseconds. */
const TRIAL_MILLISECONDS = 5000;

/**
 * Errors that concern the key or the address of the caller, so every other read would fail with them, too. Services block a key
 * that they have refused too often.
 */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** After 3 refusals in a row no read is sent any more. If the key was never accepted, 1 refusal is enough. */
const MAX_REFUSALS = 3;

/**
 * After 32 reads in a row that ended in an outage, each after all its retries, no read is sent for a minute. After f of them, at
 * most 32 - f reads are under way. A client has 16 connections, so it sends fewer reads at a time only after 17 outages.
 */
const MAX_OUTAGES = 32;

/**
 * Fewer outages in a row are enough if the first of them was sent a minute ago. The engine may ask a plugin for one read after the
 * other, and 32 of them would take too long.
 */
const MAX_OUTAGE_MILLISECONDS = 60_000;

/** For how many milliseconds no read is sent after an outage. Then 1 read tries again. */
const STOP_MILLISECONDS = 60_000;

/** The statuses of rate limits and defects. The service may send them for one project alone, so they are no outage of all reads. */
const STATUSES_OF_ONE_PROJECT: readonly unknown[] = [429, 500];

/** A read that is to be sent. */
export interface ReadTurn {
  /** What failed if it is not sent. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  readonly pool: {
    /** When any read has reached the host last, on the clock of `performance`. */
    readonly reachedAt: number;
  };
}

/** Why reads are not sent: the error of another read, and what a message says of that. */
interface Stop {
  readonly error: AgentLogConfigError;
  readonly why: string;
}

/**
 * Decides which reads of a connection are sent, by how the reads before them have ended. It does not send reads that are certain
 * to fail: after refusals of the key or of the caller's address, if the host can't be reached, and after 32 outages in a row or
 * outages for a minute. An error that concerns one project stops no other read.
 */
export class ReadGate {
  #underWay = 0;
  /** Until this time only 1 read is sent, which tries the key; 0 as soon as a read has ended. */
  #opensAt = Infinity;
  #refusalsLeft = 1;
  /** Why no read is sent any more; undefined unless the key or the address is refused. */
  #refusal: Stop | undefined;
  /** The reads in a row that ended in an outage, and when the first of them was sent. */
  #outages = 0;
  #outageSince = Infinity;
  /** When the last read ended that did not end in an outage. */
  #lastServiceAt = -Infinity;
  #outage: (Stop & { readonly until: number }) | undefined;
  /** Resolves when a read ends or the trial is over; undefined while no read waits. */
  #nextChange: PromiseWithResolvers<void> | undefined;

  /** Sends a read in its turn, and remembers how it ends. */
  async pass<Result>(turn: ReadTurn, send: () => Promise<Result>): Promise<Result> {
    for (;;) {
      this.admitAgain(turn);
      if (this.#outage !== undefined && this.#outage.until > performance.now()) throw unsentError(turn, this.#outage);
      const trial = this.#opensAt - performance.now();
      // After an outage one read tries again.
      const isAlone = trial > 0 || this.#outage !== undefined;
      if (this.#underWay < (isAlone ? 1 : MAX_OUTAGES - this.#outages)) break;
      await this.#awaitChange(turn, trial > 0 ? trial : undefined);
    }
    const sentAt = performance.now();
    this.#underWay += 1;
    this.#opensAt = Math.min(this.#opensAt, sentAt + TRIAL_MILLISECONDS);
    try {
      const result = await send();
      this.#note(sentAt, turn);
      return result;
    } catch (error) {
      // A read that its caller gives up says nothing about the service.
      if (error instanceof AgentLogConfigError && turn.signal?.aborted !== true) this.#note(sentAt, turn, error);
      throw error;
    } finally {
      this.#underWay -= 1;
      // If the caller has given up the read that tries the key, the next read tries it.
      if (turn.signal?.aborted !== true) this.#opensAt = 0;
      this.#tellChange();
    }
  }

  /**
   * Lets a read that was sent before make another attempt. Outages of other reads do not stop its retries.
   * @throws AgentLogConfigError if the key or the address is refused; the reason of the signal if it is aborted
   */
  admitAgain(turn: ReadTurn): void {
    turn.signal?.throwIfAborted();
    if (this.#refusal !== undefined) throw unsentError(turn, this.#refusal);
  }

  /** @param error the error with which a read failed; undefined if it did not fail */
  #note(sentAt: number, { pool }: ReadTurn, error?: AgentLogConfigError): void {
    if (error === undefined || provesKey(error)) {
      this.#refusalsLeft = MAX_REFUSALS;
      this.#refusal = undefined;
    } else if (REFUSALS.has(error.code)) {
      this.#refusalsLeft -= 1;
      if (this.#refusalsLeft === 0) this.#refusal = { error, why: "other reads were refused" };
    }
    const isOutage = error?.temporary === true && !STATUSES_OF_ONE_PROJECT.includes(error.status);
    this.#outages = isOutage ? this.#outages + 1 : 0;
    if (!isOutage) this.#lastServiceAt = performance.now();
    this.#outageSince = isOutage ? Math.min(this.#outageSince, Math.max(sentAt, this.#lastServiceAt)) : Infinity;
    const why = isOutage ? this.#whyToStop(pool.reachedAt < sentAt) : undefined;
    const isStopped = error !== undefined && why !== undefined;
    this.#outage = isStopped ? { error, why, until: performance.now() + STOP_MILLISECONDS } : undefined;
  }

  /** @param isUnreached neither the read that ended in an outage nor another one has reached the host since it was sent */
  #whyToStop(isUnreached: boolean): string | undefined {
    if (isUnreached) return "another read could not reach the host";
    if (performance.now() - this.#outageSince >= MAX_OUTAGE_MILLISECONDS) return "all reads have failed for a minute";
    return this.#outages >= MAX_OUTAGES ? `the last ${MAX_OUTAGES} reads have failed` : undefined;
  }

  /** Waits until a read ends, or until these milliseconds are over. */
  async #awaitChange({ signal }: ReadTurn, milliseconds: number | undefined): Promise<void> {
    const timer = milliseconds === undefined ? undefined : setTimeout(() => this.#tellChange(), milliseconds);
    this.#nextChange ??= Promise.withResolvers();
    await abortable(this.#nextChange.promise, signal).finally(() => clearTimeout(timer));
  }

  #tellChange(): void {
    this.#nextChange?.resolve();
    this.#nextChange = undefined;
  }
}

function unsentError({ subject }: ReadTurn, { error, why }: Stop): AgentLogConfigError {
  const { reason } = error.details;
  const says = `not sent, because ${why}: ${reason}`;
  return new AgentLogConfigError(error.code, says, { subject, reason, unsentAfter: error });
}

/**
 * Tells whether an error proves that the key is right. An error that concerns one project does. An outage does not, because a gateway
 * in front of the service may have sent it.
 */
function provesKey({ code, status, errorCode, temporary }: AgentLogConfigError): boolean {
  return isForKnownKey(status, errorCode) && CODES[code].everyRead !== true && !temporary;
}
