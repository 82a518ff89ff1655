import { abortable } from "./abortable.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode, CODES } from "./errors.ts";

/** How long the first read may hold the others back, and from when on a failed connection counts as silent, in milliseconds. */
const PATIENCE_MILLISECONDS = 5000;

/** They are about the key or the caller, so about every read, and services block keys that they refuse too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** After so many in a row, of refusals of a key that was accepted or of reads in an outage, the gate expects more of them. */
const FAILURES_IN_A_ROW = 3;

/** The most reads without a response: those that ended so in a row, and those under way. A client sends as many at once. */
const MAX_UNANSWERED = 16;

/** How long no read is sent to a silent service, in milliseconds. Then one tries again. */
const SILENCE_MILLISECONDS = 60_000;

/** The status of a defect of the service, which concerns one project. */
const ONE_PROJECT_FAILED = 500;

/** A read that is to be sent. */
export interface Turn {
  /** What failed if it is not sent. */
  readonly subject: string;
  /** Returns how long it may wait and be under way, in milliseconds. */
  readonly left: () => number;
  readonly signal: AbortSignal | undefined;
}

/**
 * What the reads of a connection know of each other. It decides by what a failure is about: the key and the caller concern
 * every read, a project does not, and an outage concerns every read until there is a response.
 */
export class ReadGate {
  #underWay = 0;
  /** Until then one read alone tries the key, unless it ends before. */
  #opensAt = Infinity;
  /** The service has accepted the key. */
  #isKeyAccepted = false;
  /** The refusals since the key was accepted last. */
  #refusals: AgentLogConfigError[] = [];
  /** The reads in a row that failed for temporary reasons. */
  #outages = 0;
  /** The reads in a row that got no response in their time. */
  #silent = 0;
  /** Why no read is sent to a silent service, and until when. */
  #silence = { until: 0, says: "" };
  /** The last response that asked for no requests for a time, and when that ends. */
  #pause: { readonly until: number; readonly error: AgentLogConfigError } | undefined;
  /** Resolves when a read ends or a pause is over; undefined while no read waits. */
  #changed: PromiseWithResolvers<void> | undefined;

  /** True while no read succeeds, after three in a row have failed for temporary reasons. */
  get isOutage(): boolean {
    return this.#outages >= FAILURES_IN_A_ROW;
  }

  /** For how long the service has asked for no requests, in milliseconds. */
  get pauseMilliseconds(): number {
    return Math.max(0, (this.#pause?.until ?? 0) - performance.now());
  }

  /** Sends a read in its turn, and remembers how it ends. */
  async pass<Result>(turn: Turn, send: () => Promise<Result>): Promise<Result> {
    // Pauses that follow each other must not add up to more than one read may take.
    let mayPauseUntil: number | undefined;
    const left = () => (mayPauseUntil === undefined ? turn.left() : mayPauseUntil - performance.now());
    for (;;) {
      const pause = this.#pauseOf({ ...turn, left });
      const trial = this.#opensAt - performance.now();
      if (pause > 0) {
        mayPauseUntil ??= performance.now() + turn.left();
        await this.#change(turn, pause);
      } else if (this.#underWay + this.#silent < (trial > 0 ? 1 : MAX_UNANSWERED)) break;
      else await this.#change(turn, trial > 0 ? trial : undefined);
    }
    const sentAt = performance.now();
    this.#underWay += 1;
    this.#opensAt = Math.min(this.#opensAt, sentAt + PATIENCE_MILLISECONDS);
    try {
      const result = await send();
      this.#noteResponse();
      return result;
    } catch (error) {
      if (!(error instanceof AgentLogConfigError)) throw error;
      if (error.temporary) this.#noteOutage(error, performance.now() - sentAt);
      else this.#noteResponse(error);
      throw error;
    } finally {
      this.#underWay -= 1;
      this.#opensAt = 0;
      this.#tellChange();
    }
  }

  /**
   * Waits for as long as the service has asked for no requests.
   * @throws AgentLogConfigError for a read that must not be sent, or that can't wait; the signal's reason
   */
  async admit(turn: Turn): Promise<void> {
    for (let pause = this.#pauseOf(turn); pause > 0; pause = this.#pauseOf(turn)) await this.#change(turn, pause);
  }

  /** Lets no read be sent for as long as the response to one asks for. */
  pauseFor(error: AgentLogConfigError): void {
    const { temporary, status, retryAfterSeconds = 0 } = error;
    const until = performance.now() + retryAfterSeconds * 1000;
    if (temporary && status !== ONE_PROJECT_FAILED && until > (this.#pause?.until ?? 0)) this.#pause = { until, error };
  }

  #pauseOf(turn: Turn): number {
    turn.signal?.throwIfAborted();
    const error = this.#refusalOf(turn);
    if (error !== undefined) throw error;
    return this.pauseMilliseconds;
  }

  #refusalOf({ subject, left }: Turn): AgentLogConfigError | undefined {
    const refusal = this.#refusals[this.#isKeyAccepted ? FAILURES_IN_A_ROW - 1 : 0];
    if (refusal !== undefined) {
      const { code, details } = refusal;
      return new AgentLogConfigError(code, details.says, { ...details, subject });
    }
    if (this.#silence.until > performance.now()) {
      return new AgentLogConfigError("ERR_TIMEOUT", this.#silence.says, { subject });
    }
    const wait = this.pauseMilliseconds;
    if (this.#pause === undefined || wait <= left()) return undefined;
    const { code, details, status } = this.#pause.error;
    const retryAfterSeconds = Math.ceil(wait / 1000);
    const says = `the service has asked for no requests for the next ${retryAfterSeconds} s; try again then, or raise timeoutSeconds (status ${status})`;
    return new AgentLogConfigError(code, says, { ...details, subject, retryAfterSeconds });
  }

  /** @param error what the service refused the read with, if it did */
  #noteResponse(error?: AgentLogConfigError): void {
    this.#outages = 0;
    this.#silent = 0;
    // Only the service itself names a code, and only to those whose key it knows.
    if (error === undefined || (error.errorCode !== undefined && !CODES[error.code].everyRead)) {
      this.#isKeyAccepted = true;
      this.#refusals = [];
    } else if (REFUSALS.has(error.code)) this.#refusals.push(error);
  }

  /** @param milliseconds how long the read was under way */
  #noteOutage({ code, status }: AgentLogConfigError, milliseconds: number): void {
    if (status !== ONE_PROJECT_FAILED) this.#outages += 1;
    if (status !== undefined) this.#silent = 0;
    else if (code === "ERR_TIMEOUT" || milliseconds >= PATIENCE_MILLISECONDS) this.#silent += 1;
    if (this.#silent < MAX_UNANSWERED) return;
    const seconds = Math.round(milliseconds / 100) / 10;
    const says = `not sent, because the last ${MAX_UNANSWERED} reads got no response within ${seconds} s; check the service and the network`;
    this.#silence = { until: performance.now() + SILENCE_MILLISECONDS, says };
    this.#silent = MAX_UNANSWERED - 1;
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
