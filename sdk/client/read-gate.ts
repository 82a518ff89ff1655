import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../model/errors.ts";
import { abortable } from "./abortable.ts";
import { codeProvesKey, isDefectOfService } from "./service-error.ts";

/** How long the first read of a run may hold the others back, in milliseconds: its project alone may be slow. */
const TRIAL_MILLISECONDS = 5000;

/** For how many milliseconds no read is sent after a reason to stop. */
const STOP_MILLISECONDS = 60_000;

/** A read that waits for its turn. */
interface Waiter {
  /** What failed if it is not sent. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
}

/** Whether the service, or the proxy in front of it, can be reached. */
interface Reachability {
  /** When any read has reached it last, on the clock of `performance`. */
  readonly reachedAt: number;
}

/** Why reads are not sent: the error of another read, what a message says of that, and until when on the clock of `performance`. */
interface Stop {
  readonly error: AgentLogConfigError;
  readonly why: string;
  readonly until: number;
}

/**
 * Decides which reads of a connection are sent, by how the reads before them have ended. It sends none for a minute after refusals of
 * the key or of the caller's address, after 32 outages in a row or outages for a minute, and if the host can't be reached. Some reads
 * try for the others, which wait for their end: the first one of all, the next one as long as it is in doubt whether the key is refused,
 * and the first one after that minute. An error that concerns one project stops no other read.
 */
export class ReadGate {
  readonly #reachability: Reachability;
  readonly #refusals = new Refusals();
  readonly #outages = new Outages();
  /** The end of the read that tries for the others; undefined if none does. */
  #trial: Promise<void> | undefined;
  /** A read has ended without a doubt about the key, or the first one has taken too long. */
  #isTried = false;
  #stop: Stop | undefined;

  constructor(reachability: Reachability) {
    this.#reachability = reachability;
  }

  /** Sends a read in its turn, and remembers how it ends. */
  async pass<Result>(waiter: Waiter, send: () => Promise<Result>): Promise<Result> {
    waiter.signal?.throwIfAborted();
    while (this.#trial !== undefined) await abortable(this.#trial, waiter.signal);
    this.#throwIfStopped(waiter);
    const read = this.#send(waiter, send);
    if (!this.#isTried || this.#stop !== undefined) this.#trial = this.#tryWith(read);
    return read;
  }

  async #send<Result>({ signal }: Waiter, send: () => Promise<Result>): Promise<Result> {
    const sentAt = performance.now();
    try {
      const result = await send();
      this.#note(sentAt);
      return result;
    } catch (error) {
      // A read that its caller gives up says nothing about the service.
      if (error instanceof AgentLogConfigError && signal?.aborted !== true) this.#note(sentAt, error);
      throw error;
    }
  }

  async #tryWith(read: Promise<unknown>): Promise<void> {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const letOthersPass = () => {
      this.#isTried = true;
      resolve();
    };
    const timer = this.#isTried ? undefined : setTimeout(letOthersPass, TRIAL_MILLISECONDS);
    await Promise.race([read, end]).catch(() => {});
    clearTimeout(timer);
    this.#trial = undefined;
  }

  /**
   * Lets a read that was sent make another attempt. Outages of other reads do not stop its retries.
   * @throws AgentLogConfigError if the key or the address is refused; the reason of the signal if it is aborted
   */
  throwIfRefused(waiter: Waiter): void {
    waiter.signal?.throwIfAborted();
    if (this.#refusals.areFinal) this.#throwIfStopped(waiter);
  }

  #throwIfStopped({ subject }: Waiter): void {
    if (this.#stop === undefined || this.#stop.until <= performance.now()) return;
    const { error, why } = this.#stop;
    const { code, errorCode, details } = error;
    const advice = `No more reads are sent, because ${why}.`;
    throw new AgentLogConfigError(code, details.says, { subject, errorCode, evidence: details.evidence, advice });
  }

  #note(sentAt: number, error?: AgentLogConfigError): void {
    // While it is in doubt whether the key is refused, the next read tries for the others, too.
    if (error?.details.isDoubtful !== true) this.#isTried = true;
    const whyRefused = this.#refusals.note(error);
    const why = this.#outages.note(error, sentAt, this.#reachability) ?? whyRefused;
    if (error !== undefined && why !== undefined) {
      this.#stop = { error, why, until: performance.now() + STOP_MILLISECONDS };
    } else if (!this.#refusals.areFinal) this.#stop = undefined;
  }
}

/**
 * Errors that concern the key or the address of the caller, so every other read would fail with them, too. Services block a key
 * that they have refused too often.
 */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** After 3 refusals in a row reads stop. If the key was never accepted, 1 refusal that is certain is enough. */
const MAX_REFUSALS = 3;

class Refusals {
  #isKeyProved = false;
  /** How many more are needed to stop. Once they have come, it stays at 0 or less until a read proves the key. */
  #left = MAX_REFUSALS;

  get areFinal(): boolean {
    return this.#left <= 0;
  }

  /** Returns why reads stop after one that has failed with this error or succeeded; undefined if they do not. */
  note(error: AgentLogConfigError | undefined): string | undefined {
    if (error !== undefined && REFUSALS.has(error.code)) {
      this.#left -= this.#isKeyProved || error.details.isDoubtful === true ? 1 : MAX_REFUSALS;
      return this.areFinal ? "the service has refused some" : undefined;
    }
    if (error !== undefined && !errorProvesKey(error)) return undefined;
    this.#isKeyProved = true;
    this.#left = MAX_REFUSALS;
    return undefined;
  }
}

/**
 * Tells whether an error proves that the key is right. An error that concerns one project does. An outage does not, because a gateway
 * in front of the service may have sent it.
 */
function errorProvesKey({ code, status, errorCode, temporary }: AgentLogConfigError): boolean {
  // Without a Digest challenge nobody has looked at the key.
  return codeProvesKey(status, errorCode) && code !== "ERR_AUTHENTICATION" && !temporary;
}

/** Reads stop after 32 outages in a row, each after all its retries. Up to 15 more are under way then, on the other connections. */
const MAX_OUTAGES = 32;

/** A plugin may be asked for one read after the other, so a minute of at least 3 outages is enough. */
const MIN_OUTAGES = 3;
const OUTAGE_MILLISECONDS = 60_000;

class Outages {
  /** How many there were in a row, and when the first of them was sent. */
  #count = 0;
  #since = Infinity;
  /** When the last read ended that did not end in an outage. */
  #lastServiceAt = -Infinity;

  /** Returns why reads stop after one that has failed with this error or succeeded; undefined if they do not. */
  note(error: AgentLogConfigError | undefined, sentAt: number, { reachedAt }: Reachability): string | undefined {
    const now = performance.now();
    // A rate limit or a defect may concern one project alone, so it stops no other read.
    if (error?.temporary !== true || error.status === 429 || isDefectOfService(error)) {
      this.#count = 0;
      this.#since = Infinity;
      this.#lastServiceAt = now;
      return undefined;
    }
    this.#count += 1;
    this.#since = Math.min(this.#since, Math.max(sentAt, this.#lastServiceAt));
    // No read has reached the host since this one was sent.
    if (reachedAt < sentAt) return "the host could not be reached";
    const isLong = this.#count >= MIN_OUTAGES && now - this.#since >= OUTAGE_MILLISECONDS;
    if (isLong) return "all reads have failed for a minute";
    return this.#count >= MAX_OUTAGES ? `the last ${MAX_OUTAGES} reads have failed` : undefined;
  }
}
