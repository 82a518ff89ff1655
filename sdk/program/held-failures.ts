import type * as pulumi from "@pulumi/pulumi";
import { describeFailures, type Failure, type NamedFailure } from "../shared/group-failures.ts";

/**
 * How long failures are held while nothing is registered, in milliseconds: while a resource is left whose registration waits
 * for no other; while only such are left that may wait for a failing one; and for reads that start now.
 */
const PATIENCE_MILLISECONDS = { independent: 30_000, dependent: 2_000, next: 250 };

/** Whether the registration of a resource may wait for another one. */
export type Kind = "independent" | "dependent";

type Registered = Pick<pulumi.Resource, "urn">;

interface Held {
  readonly resource: Registered;
  readonly failures: readonly NamedFailure[];
  /** Lets the resource fail, and report these sentences about others. */
  readonly release: (others: readonly string[]) => void;
}

/**
 * Holds the failures of a program until its other resources are registered, because the engine ends its work at the first
 * resource that fails. Then one resource reports for all of them. The others are held on, and report only if that one turns
 * out not to fail.
 */
export class HeldFailures {
  /** The resources that are being read and not registered yet. */
  readonly #waiting = new Map<Registered, Kind>();
  readonly #counts = { independent: 0, dependent: 0 };
  #held: Held[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Notes that the settings of a resource are being read. */
  watch(resource: Registered, kind: Kind): void {
    this.#waiting.set(resource, kind);
    this.#counts[kind] += 1;
    resource.urn.apply(() => this.#forget(resource));
    this.#wait();
  }

  /**
   * Holds a resource that fails.
   * @param why why it fails; empty if only the engine knows whether it does
   * @returns what it has to report of other resources
   */
  hold(resource: Registered, name: string, why: readonly Failure[]): Promise<readonly string[]> {
    const failures = why.map((each) => ({ ...each, name }));
    this.#forget(resource);
    return new Promise((release) => {
      this.#held.push({ resource, failures, release });
      this.#wait();
    });
  }

  #forget(resource: Registered): void {
    const kind = this.#waiting.get(resource);
    if (kind === undefined) return;
    this.#waiting.delete(resource);
    this.#counts[kind] -= 1;
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#held.length === 0) return;
    const { independent, dependent } = this.#counts;
    const kind = independent > 0 ? "independent" : dependent > 0 ? "dependent" : "next";
    this.#timer = setTimeout(() => this.#release(), PATIENCE_MILLISECONDS[kind]);
  }

  /** Releases those that may not fail at all, and otherwise one, which reports for the others. */
  #release(): void {
    const { true: certain = [], false: possible = [] } = Object.groupBy(
      this.#held,
      ({ failures }) => `${failures.length > 0}`,
    );
    const released = possible.length > 0 ? possible : certain.slice(0, 1);
    this.#held = this.#held.filter((held) => !released.includes(held));
    const others = this.#held.flatMap(({ failures }) => failures);
    for (const { resource, failures, release } of released) {
      release(describeFailures(others, failures));
      this.watch(resource, "dependent");
    }
  }
}
