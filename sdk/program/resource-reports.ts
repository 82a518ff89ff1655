import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../client/is-object.ts";
import { printable } from "../client/printable.ts";
import { type Failure, listOf } from "../record/failure-report.ts";
import { failAtEnd, runsInline, whenKnown } from "./private-sdk.ts";

interface Report {
  readonly show: typeof pulumi.log.error;
  /** The first resource that it is said of, and its name. */
  readonly first: pulumi.Resource;
  readonly name: string;
  /** The names of the others. */
  readonly others: string[];
}

/**
 * Reports what is the matter with resources: each cause at once, beside the first resource that has it, and the names of the
 * others at the end of the program. The end of an inline program can't be seen, so that there each of the others says at once
 * that it is the same.
 *
 * In a preview the engine ends its work at the first failure of a provider. An error of the program fails the run at its end, after
 * everything else is compared.
 */
export class ResourceReports {
  readonly #reports = new Map<string, Report>();
  #awaitsEnd = false;

  /** Reports why a resource fails in a preview. */
  watch(resource: pulumi.Resource, name: string, failures: pulumi.Output<unknown>): void {
    whenKnown(failures, (messages) => {
      for (const [cause, message] of Object.entries(isObject(messages) ? messages : {})) {
        failAtEnd();
        this.#note(pulumi.log.error, resource, name, { cause, message: String(message) });
      }
    });
  }

  warn(resource: pulumi.Resource, name: string, warning: Failure): void {
    this.#note(pulumi.log.warn, resource, name, warning);
  }

  #note(show: typeof pulumi.log.error, resource: pulumi.Resource, name: string, { cause, message }: Failure): void {
    const known = this.#reports.get(cause);
    if (known === undefined) {
      this.#reports.set(cause, { show, first: resource, name, others: [] });
      void show(message, resource);
    } else if (runsInline()) void show(`The same applies here as to ${printable(known.name, 120)}.`, resource);
    else {
      known.others.push(name);
      if (!this.#awaitsEnd) process.once("beforeExit", () => this.#nameOthers());
      this.#awaitsEnd = true;
    }
  }

  #nameOthers(): void {
    for (const { show, first, others } of this.#reports.values()) {
      if (others.length > 0) void show(`The same applies to ${listOf(others)}.`, first);
    }
  }
}
