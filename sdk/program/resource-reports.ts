import * as pulumi from "@pulumi/pulumi";
import { printable } from "../model/printable.ts";
import { type Finding, FindingReport, listOf } from "../record/finding-report.ts";
import { failuresIn } from "../record/internal-properties.ts";
import { failAtEnd, runsInline, whenKnown } from "./private-sdk.ts";

/** A resource that something is said of. */
interface Subject {
  readonly show: typeof pulumi.log.error;
  readonly resource: pulumi.Resource;
  readonly name: string;
}

/**
 * Reports what is the matter with resources: each cause at once, beside the first resource that has it and whose read was sent, and
 * the names of the others at the end of the program. The end of an inline program can't be seen, so that there each of the others
 * says at once that it is the same.
 *
 * In a preview the engine ends its work at the first failure of a provider. An error of the program fails the run at its end, after
 * everything else is compared.
 */
export class ResourceReports {
  readonly #report = new FindingReport<Subject>(({ name }) => name);
  #awaitsEnd = false;

  /** Reports why a resource fails in a preview. */
  watch(resource: pulumi.Resource, name: string, failures: pulumi.Output<unknown>): void {
    whenKnown(failures, (reasons) => {
      for (const failure of failuresIn(reasons)) {
        failAtEnd();
        this.#note({ show: pulumi.log.error, resource, name }, failure);
      }
    });
  }

  warn(resource: pulumi.Resource, name: string, warning: Finding): void {
    this.#note({ show: pulumi.log.warn, resource, name }, warning);
  }

  #note(subject: Subject, failure: Finding): void {
    const { show, resource } = subject;
    const teller = this.#report.note(subject, failure);
    if (teller === subject && (failure.isUnsent !== true || runsInline())) void show(failure.message, resource);
    else if (runsInline()) void show(`The same applies here as to ${printable(teller.name, 120)}.`, resource);
    else {
      if (!this.#awaitsEnd) process.once("beforeExit", () => this.#tellRest());
      this.#awaitsEnd = true;
    }
  }

  /** Names the others, and tells causes for which no read was sent. */
  #tellRest(): void {
    for (const { resource: teller, message, others, isUnsent } of this.#report.entries()) {
      const rest = others.length > 0 ? `The same applies to ${listOf(others)}.` : undefined;
      const said = isUnsent ? message : rest;
      if (said !== undefined) void teller.show(said, teller.resource);
    }
  }
}
