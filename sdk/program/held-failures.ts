import { once } from "node:events";
import { type Failure, FailureReport, type ReportedFailure } from "../shared/failure-report.ts";

/** How long a program that does not end may ask for no read, in milliseconds. */
const PATIENCE_MILLISECONDS = 10_000;

/** How many causes one resource reports. All resources that fail carry a report, since any of them may be the first. */
const MAX_CAUSES = 50;

/**
 * Holds the resources that fail in a preview until the program has nothing left to do, because the engine ends its work at the
 * first one. Then all are released at once, and the first one reports for all.
 *
 * Node.js emits `beforeExit` when nothing is left to do. Pulumi's runner lets other listeners go first at its first emission,
 * and ends the program at the next one. It is never emitted while something is open, such as a tunnel that the program closes
 * after a held resource, or the engine's connection to an inline program. Then it is the end once no read is under way, and none
 * has been asked for for ten seconds.
 */
export class HeldFailures {
  readonly #report = new FailureReport();
  readonly #end = Promise.withResolvers<void>();
  #isHolding = false;
  /** The reads that are under way. */
  #reads = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Reads. Nothing is released meanwhile, so that no failure hides another one. */
  async during<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#reads += 1;
    clearTimeout(this.#timer);
    try {
      return await read();
    } finally {
      this.#reads -= 1;
      this.#wait();
    }
  }

  /** Takes note of a resource that fails for certain, so that the others name it. */
  note(name: string, failures: readonly Failure[]): void {
    this.#report.note(name, failures);
  }

  /** Holds a resource that fails, or that may. Returns what it reports, its own failures first. */
  async hold(name: string): Promise<readonly ReportedFailure[]> {
    if (!this.#isHolding) void endOfProcess().then(() => this.#end.resolve());
    this.#isHolding = true;
    this.#wait();
    await this.#end.promise;
    const all = this.#report.entries(name).map((each) => {
      return each.resource === name ? each : { ...each, message: `${each.resource}: ${each.message}` };
    });
    const left = all.length - MAX_CAUSES;
    const more = { cause: "", resource: name, message: `There are ${left} more reasons why resources fail.` };
    return left > 1 ? [...all.slice(0, MAX_CAUSES), more] : all;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#isHolding && this.#reads === 0)
      this.#timer = setTimeout(this.#end.resolve, PATIENCE_MILLISECONDS).unref();
  }
}

/** All inline programs of a process share it, because Node.js warns of more than ten listeners. */
let untilExit: Promise<unknown> | undefined;

function endOfProcess(): Promise<unknown> {
  untilExit ??= once(process, "beforeExit").finally(() => {
    untilExit = undefined;
  });
  return untilExit;
}
