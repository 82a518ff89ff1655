import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../model/errors.ts";
import { isForKnownKey } from "./service-error.ts";

/** How long the first read of a run may hold the others back, in milliseconds: its project alone may be slow. */
const TRIAL_MILLISECONDS = 5000;

/** For how many milliseconds no read is sent after a reason to stop. */
const STOP_MILLISECONDS = 60_000;

/**
 * Errors that concern the key or the address of the caller, so every other read would fail with them, too. Services block a key
 * that they have refused too often.
 */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** After 3 refusals in a row reads stop. If the key was never accepted, 1 refusal that is certain is enough. */
const MAX_REFUSALS = 3;

/** Reads stop after 32 outages in a row, each after all its retries. Up to 15 more are under way then, on the other connections. */
const MAX_OUTAGES = 32;

/**
 * 3 outages in a row are enough if the first of them was sent a minute ago: the engine may ask a plugin for one read after the other,
 * and 32 of them would take too long.
 */
const [MIN_OUTAGES, OUTAGE_MILLISECONDS] = [3, 60_000];

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

/** Why reads are not sent: the error of another read, what a message says of that, and until when. */
interface Stop {
  readonly error: AgentLogConfigError;
  readonly why: string;
  /** On the clock of `performance`. */
  readonly until: number;
}

/**
 * Decides which reads of a connection are sent, by how the reads before them have ended. For a minute it sends no read that is certain
 * to fail: after refusals of the key or of the caller's address, if the host can't be reached, and after 32 outages in a row or
 * outages for a minute. The first read of all, and the first one after that minute, tries for the others, which wait for it. An error
 * that concerns one project stops no other read.
 */
export class ReadGate {
  /** The end of the read that tries for the others; undefined if none does. */
  #trial: Promise<void> | undefined;
  /** A read has ended, or the first one has taken too long. */
  #isTried = false;
  /** A read has proved the key. */
  #isKeyProved = false;
  /** How many more refusals are needed to stop; 0 or less until a read proves the key. */
  #refusalsLeft = MAX_REFUSALS;
  /** The outages in a row, and when the first of them was sent. */
  #outages = 0;
  #outageSince = Infinity;
  /** When the last read ended that did not end in an outage. */
  #lastServiceAt = -Infinity;
  #stop: Stop | undefined;

  /** Sends a read in its turn, and remembers how it ends. */
  async pass<Result>(turn: ReadTurn, send: () => Promise<Result>): Promise<Result> {
    turn.signal?.throwIfAborted();
    while (this.#trial !== undefined) await abortable(this.#trial, turn.signal);
    this.#refuseIfStopped(turn);
    const read = this.#send(turn, send);
    if (!this.#isTried || this.#stop !== undefined) this.#trial = this.#tryWith(read);
    return read;
  }

  async #send<Result>(turn: ReadTurn, send: () => Promise<Result>): Promise<Result> {
    const sentAt = performance.now();
    try {
      const result = await send();
      this.#note(sentAt, turn);
      return result;
    } catch (error) {
      // A read that its caller gives up says nothing about the service.
      if (error instanceof AgentLogConfigError && turn.signal?.aborted !== true) this.#note(sentAt, turn, error);
      throw error;
    }
  }

  async #tryWith(read: Promise<unknown>): Promise<void> {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const open = () => {
      this.#isTried = true;
      resolve();
    };
    const timer = this.#isTried ? undefined : setTimeout(open, TRIAL_MILLISECONDS);
    await Promise.race([read, end]).catch(() => {});
    clearTimeout(timer);
    this.#trial = undefined;
  }

  /**
   * Lets a read that was sent before make another attempt. Outages of other reads do not stop its retries.
   * @throws AgentLogConfigError if the key or the address is refused; the reason of the signal if it is aborted
   */
  admitAgain(turn: Omit<ReadTurn, "pool">): void {
    turn.signal?.throwIfAborted();
    if (this.#refusalsLeft <= 0) this.#refuseIfStopped(turn);
  }

  #refuseIfStopped({ subject }: Pick<ReadTurn, "subject">): void {
    if (this.#stop === undefined || this.#stop.until <= performance.now()) return;
    const { error, why } = this.#stop;
    const { code, errorCode, details } = error;
    const advice = `No more reads are sent, because ${why}.`;
    throw new AgentLogConfigError(code, details.says, { subject, errorCode, evidence: details.evidence, advice });
  }

  /** @param error the error with which a read failed; undefined if it did not fail */
  #note(sentAt: number, { pool }: ReadTurn, error?: AgentLogConfigError): void {
    const now = performance.now();
    const isRefused = error !== undefined && REFUSALS.has(error.code);
    const isDoubtful = error?.details.isDoubtful === true;
    // While it is in doubt whether the key is refused, the next read tries for the others, too.
    if (!isDoubtful) this.#isTried = true;
    if (isRefused) this.#refusalsLeft -= isDoubtful || this.#isKeyProved ? 1 : MAX_REFUSALS;
    else if (error === undefined || provesKey(error)) {
      this.#isKeyProved = true;
      this.#refusalsLeft = MAX_REFUSALS;
    }
    const isOutage = error?.temporary === true && !STATUSES_OF_ONE_PROJECT.includes(error.status);
    this.#outages = isOutage ? this.#outages + 1 : 0;
    if (!isOutage) this.#lastServiceAt = now;
    this.#outageSince = isOutage ? Math.min(this.#outageSince, Math.max(sentAt, this.#lastServiceAt)) : Infinity;
    const isLong = this.#outages >= MIN_OUTAGES && now - this.#outageSince >= OUTAGE_MILLISECONDS;
    let why: string | undefined;
    if (isRefused && this.#refusalsLeft <= 0) why = "the service has refused some";
    // No read has reached the host since this one was sent.
    else if (isOutage && pool.reachedAt < sentAt) why = "the host could not be reached";
    else if (isLong) why = "all reads have failed for a minute";
    else if (this.#outages >= MAX_OUTAGES) why = `the last ${MAX_OUTAGES} reads have failed`;
    if (error !== undefined && why !== undefined) this.#stop = { error, why, until: now + STOP_MILLISECONDS };
    else if (this.#refusalsLeft > 0) this.#stop = undefined;
  }
}

/**
 * Tells whether an error proves that the key is right. An error that concerns one project does. An outage does not, because a gateway
 * in front of the service may have sent it.
 */
function provesKey({ code, status, errorCode, temporary }: AgentLogConfigError): boolean {
  // Without a Digest challenge nobody has looked at the key.
  return isForKnownKey(status, errorCode) && code !== "ERR_AUTHENTICATION" && !temporary;
}

/** Waits for a promise. Once the signal is aborted, it calls `giveUp` and rejects with the signal's reason, both at once. */
export async function abortable<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
  giveUp?: () => void,
): Promise<Result> {
  if (signal === undefined) return promise;
  const abortion = Promise.withResolvers<never>();
  const abort = () => {
    abortion.reject(signal.reason);
    giveUp?.();
  };
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, abortion.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
