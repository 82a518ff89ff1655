import type { EngineLog } from "../engine/engine-log.ts";
import type { Finding } from "../findings/finding.ts";
import { FindingReport, failureText } from "../findings/finding-report.ts";
import { nameInUrn } from "./engine-messages.ts";

/** After how many milliseconds without a call of the engine the failures of a preview or a refresh are reported. */
const SILENCE_MILLISECONDS = 3000;

/**
 * Reports what fails in a run and what it warns of, each cause once. The engine ends its work at the first call that fails. In a
 * preview or a refresh that call is held until the engine has nothing more to ask, so that everything else is compared before.
 */
export class RunReport {
  readonly #log: Pick<EngineLog, "show">;
  #failures = new FindingReport(nameInUrn);
  readonly #warnings = new FindingReport(nameInUrn);
  /** How many calls are under way. */
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #heldCall: HeldCall | undefined;
  #hasReported = false;

  constructor(log: Pick<EngineLog, "show">) {
    this.#log = log;
  }

  /** Answers a call of the engine. Nothing is reported meanwhile. */
  async during<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
    this.#running += 1;
    clearTimeout(this.#timer);
    try {
      return await answer();
    } finally {
      this.#running -= 1;
      this.#awaitSilence();
    }
  }

  /** Notes why a resource fails. The engine may end the run before it comes to the call that fails. */
  note(urn: string, failures: readonly Finding[]): void {
    for (const failure of failures) this.#failures.note(urn, failure);
  }

  warn(urn: string, warnings: readonly Finding[]): void {
    for (const warning of warnings) this.#warnings.note(urn, warning);
  }

  /** Reports at the end of the run all that is not reported yet. */
  end(): void {
    this.release();
    for (const { resource, message } of this.#warnings.entries()) this.#log.show("WARNING", resource, message);
  }

  fail(urn: string, failures: readonly Finding[]): never {
    this.#failures.forget(urn);
    throw new Error(failureText(failures));
  }

  /**
   * Holds the first call that fails, inside `during`. For every other call it returns, so that the call is answered, and its failures
   * are reported with those of the call that is held.
   */
  async hold(urn: string, failures: readonly Finding[]): Promise<void> {
    if (this.#hasReported) this.fail(urn, failures);
    this.note(urn, failures);
    if (this.#heldCall !== undefined) return;
    const { promise, reject: fail } = Promise.withResolvers<never>();
    this.#heldCall = { urn, fail };
    this.#awaitSilence();
    await promise;
  }

  /** Reports what fails, once the engine has nothing more to ask, or when it ends the run. */
  release(): void {
    clearTimeout(this.#timer);
    const heldCall = this.#heldCall;
    const entries = this.#failures.entries(heldCall?.urn);
    this.#heldCall = undefined;
    this.#hasReported ||= heldCall !== undefined;
    this.#failures = new FindingReport(nameInUrn);
    // An error of gRPC has no room for all causes of a large fleet.
    const heldEntry = entries.find(({ resource }) => resource === heldCall?.urn);
    for (const entry of entries) if (entry !== heldEntry) this.#log.show("ERROR", entry.resource, entry.message);
    heldCall?.fail(new Error(heldEntry?.message));
  }

  #awaitSilence(): void {
    // The call that is held is also running, so 1 means that there is no other.
    if (this.#heldCall !== undefined && this.#running <= 1) {
      this.#timer = setTimeout(() => this.release(), SILENCE_MILLISECONDS);
    }
  }
}

interface HeldCall {
  readonly urn: string;
  readonly fail: (reason: Error) => void;
}
