import type * as pulumi from "@pulumi/pulumi";
import { type Failure, FailureReport, type ReportedFailure } from "../shared/failure-report.ts";
import { runsInline } from "./private-sdk.ts";

/** How long nothing may happen in a program of the Automation API that runs inline, in milliseconds. */
const PATIENCE_MILLISECONDS = 5000;

/** How many causes one resource reports. All resources that fail carry a report, since any of them may be the first. */
const MAX_CAUSES = 50;

/**
 * Holds the resources that fail in a preview until the program has nothing left to do, because the engine ends its work at the
 * first one. Then all are released at once, and the first one reports for all.
 *
 * Node.js emits `beforeExit` when nothing is left to do. Pulumi's runner lets other listeners go first at its first emission,
 * and ends the program at the next one. An inline program has no such end.
 */
export class HeldFailures {
  /** The causes that the program itself has reported, and fails for. */
  readonly reported = new Set<string>();
  readonly #report = new FailureReport();
  readonly #end = Promise.withResolvers<void>();
  #isHolding = false;
  #timer: NodeJS.Timeout | undefined;

  /** Takes note of a resource that is being read, and of its registration: an inline program is not at its end. */
  noteRegistration({ urn }: Pick<pulumi.Resource, "urn">): void {
    if (!runsInline()) return;
    this.#wait();
    urn.apply(() => this.#wait());
  }

  /** Holds a resource that fails. Returns what it reports, its own failures first. */
  async hold(name: string, failures: readonly Failure[]): Promise<readonly ReportedFailure[]> {
    this.#report.note(name, failures);
    if (!this.#isHolding && !runsInline()) process.once("beforeExit", () => this.#end.resolve());
    this.#isHolding = true;
    this.#wait();
    await this.#end.promise;
    if (failures.every(({ cause }) => this.reported.has(cause))) return new Promise(() => {});
    const all = this.#report.entries(name).map((each) => {
      return each.resource === name ? each : { ...each, message: `${each.resource}: ${each.message}` };
    });
    const left = all.length - MAX_CAUSES;
    const more = { cause: "", resource: name, message: `There are ${left} more reasons why resources fail.` };
    return left > 1 ? [...all.slice(0, MAX_CAUSES), more] : all;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#isHolding && runsInline()) {
      this.#timer = setTimeout(() => this.#end.resolve(), PATIENCE_MILLISECONDS);
    }
  }
}
