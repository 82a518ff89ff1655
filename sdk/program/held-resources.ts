import * as pulumi from "@pulumi/pulumi";
import { describeFailures, MANY_NAMES, type NamedFailure } from "../shared/describe-failures.ts";
import { runsInline } from "./private-sdk.ts";

/** How long nothing may happen in a program of the Automation API that runs inline, in milliseconds. */
const PATIENCE_MILLISECONDS = 5000;

type Registered = Pick<pulumi.Resource, "urn">;

interface Held {
  /** Its place among the resources that were read, so that a report does not depend on which read fails first. */
  readonly place: number;
  readonly resource: Registered;
  readonly failures: readonly NamedFailure[];
  /** Lets the registration go on, with what is to be reported of other resources if this one fails. */
  readonly release: (others: readonly string[]) => void;
}

/**
 * Holds the failures of a program until it has nothing left to do, because the engine ends its work at the first resource that
 * fails. Then one resource after the other is released. The first one that fails reports for all.
 *
 * Node.js tells by `beforeExit` that nothing is left to do. Everything has to be released from its first emission on, since
 * Pulumi's runner ends the program at the next one. An inline program has no such end.
 */
export class HeldResources {
  /** The resources that are being read, or read and not registered yet. */
  readonly #reading = new Map<Registered, number>();
  #places = 0;
  /** Only the engine knows whether these fail: in an outage there may be a record to use. */
  readonly #possible: Held[] = [];
  readonly #certain: Held[] = [];
  readonly #isInline = runsInline();
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #isReleasing = false;

  constructor() {
    if (!this.#isInline) process.on("beforeExit", () => this.#end());
  }

  /** Notes that the settings of a resource are being read. */
  watch(resource: Registered): void {
    this.#places += 1;
    this.#reading.set(resource, this.#places);
    resource.urn.apply(() => this.#forget(resource));
    this.#goOn();
  }

  /**
   * Holds a resource whose read has failed, or whose settings are not as expected.
   * @param isCertain it fails whatever is recorded
   * @returns what it has to report of other resources
   */
  hold(resource: Registered, failures: readonly NamedFailure[], isCertain: boolean): Promise<readonly string[]> {
    return new Promise((release) => {
      const held = isCertain ? this.#certain : this.#possible;
      held.push({ place: this.#reading.get(resource) ?? 0, resource, failures, release });
      held.sort((one, other) => one.place - other.place);
      this.#forget(resource);
    });
  }

  #forget(resource: Registered): void {
    this.#reading.delete(resource);
    this.#goOn();
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    if (this.#isInline && this.#isHolding) {
      this.#timer = setTimeout(() => this.#end(), PATIENCE_MILLISECONDS);
    }
    this.#release();
  }

  get #isHolding(): boolean {
    return this.#possible.length + this.#certain.length > 0;
  }

  #end(): void {
    // What is released waits for what is held.
    if (this.#hasEnded && this.#isInline) this.#isReleasing = false;
    else if (this.#hasEnded && this.#isHolding) {
      // The runner would call it a success, and the engine would delete what is held.
      const sentences = this.#describe([]);
      this.#possible.length = 0;
      this.#certain.length = 0;
      throw new pulumi.RunError(sentences.join("\n"));
    }
    this.#hasEnded = true;
    this.#release();
  }

  /** Those that may have a record go on as soon as nothing is being read, since others may wait for them. */
  #release(): void {
    if (this.#isReleasing) return;
    const isQuiet = this.#hasEnded || this.#reading.size === 0;
    const possible = isQuiet ? this.#possible.shift() : undefined;
    const next = possible ?? (this.#hasEnded ? this.#certain.shift() : undefined);
    if (next === undefined) return;
    this.#isReleasing = true;
    // With a record it may fail for another reason than the one that is known here.
    next.release(this.#describe(possible === undefined ? next.failures : []));
    next.resource.urn.apply(() => {
      this.#isReleasing = false;
      this.#release();
    });
  }

  #describe(told: readonly NamedFailure[]): readonly string[] {
    const describe = (held: readonly Held[]) =>
      describeFailures(
        held.flatMap(({ failures }) => failures),
        told,
        MANY_NAMES,
      );
    return [...describe(this.#certain), ...describe(this.#possible).map((line) => `${line} ${UNLESS_RECORDED}`)];
  }
}

const UNLESS_RECORDED = "This is a failure as well where nothing is recorded.";
