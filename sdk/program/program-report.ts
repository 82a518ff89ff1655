import * as pulumi from "@pulumi/pulumi";
import { type Finding, parseFindings } from "../findings/finding.ts";
import { FindingReport, failureText } from "../findings/finding-report.ts";
import { printable } from "../text/printable.ts";
import { ERRORS_ARE_SHOWN, runsInline, whenKnown } from "./private-sdk.ts";

/** How long a program that does not end waits for further failures before it tells of those it knows, in milliseconds. */
const MAX_SILENCE_MILLISECONDS = 10_000;

interface FailedResource {
  readonly resource: pulumi.Resource;
  readonly name: string;
}

/**
 * Reports why resources fail. Each cause is reported once, at the end of the program, with the names of all its resources; without
 * an end, some seconds after the last failure. An inline program has no end of its own, so each cause is reported at once.
 *
 * In a preview the engine ends its work at the first failure of a provider. An error of the program fails the run at its end,
 * after everything else is compared.
 */
export class ProgramReport {
  #report = newReport();
  /** The lines that the engine has not taken yet. */
  readonly #pendingLines = new Set<string>();
  /** Ends some seconds after the last failure; undefined before the first one. */
  #timer: NodeJS.Timeout | undefined;

  /** Reports why a resource fails, if it fails in the program. */
  watch(resource: pulumi.Resource, name: string, failures: pulumi.Output<unknown>): void {
    if (whereItFails() !== "program") return;
    whenKnown(failures, (text) => {
      for (const failure of parseFindings(text)) {
        failAtEnd();
        this.#note({ resource, name }, failure);
      }
    });
  }

  #note(failedResource: FailedResource, finding: Finding): void {
    const first = this.#report.note(failedResource, finding);
    if (runsInline() || pulumi.runtime.getStackResource() === undefined) {
      // Only a fleet names what it fails for.
      const isSame = first !== failedResource && finding.members === undefined;
      const same = `The same applies here as to ${printable(first.name, 120)}.`;
      const message = isSame ? same : failureText([finding]);
      void pulumi.log.error(message, failedResource.resource);
    } else if (this.#timer === undefined) {
      // A program that keeps a tunnel open until an apply closes it may never end (pulumi/pulumi#20151).
      this.#timer = setTimeout(() => this.#tell(), MAX_SILENCE_MILLISECONDS).unref();
      process.on("beforeExit", () => this.#tell());
      process.on("exit", () => this.#print());
    } else this.#timer.refresh();
  }

  /** Reports every cause. If the program goes on after its end, a new report begins. */
  #tell(): void {
    for (const {
      resource: { resource },
      message,
    } of this.#report.entries()) {
      const line = `error: ${message}\n`;
      this.#pendingLines.add(line);
      void pulumi.log.error(message, resource).then(() => this.#pendingLines.delete(line));
    }
    this.#report = newReport();
  }

  /** Prints the lines that the engine can no longer take, because the program ends itself. */
  #print(): void {
    const lines = this.#report.entries().map(({ message }) => `error: ${message}\n`);
    process.stderr.write([...this.#pendingLines, ...lines].join(""));
  }
}

/**
 * Fails the run at the end of the program, even if the program sets another exit code or ends itself with 0. An inline program fails
 * because it has logged an error.
 */
function failAtEnd(): void {
  if (runsInline()) return;
  replaceSuccess();
  // At `beforeExit` the SDK tells the engine of a program that has succeeded, unless there is another code.
  process.off("beforeExit", replaceSuccess).on("beforeExit", replaceSuccess);
  process.off("exit", replaceSuccess).on("exit", replaceSuccess);
}

function replaceSuccess(): void {
  if (Number(process.exitCode ?? 0) === 0) process.exitCode = ERRORS_ARE_SHOWN;
}

/**
 * Returns the place at which a resource fails: in its update, or in the program of a preview. It does not fail in its check,
 * because the engine would end its work there. In a component provider it is undefined, because there is no program that could
 * fail the run.
 */
export function whereItFails(): "update" | "program" | undefined {
  if (!pulumi.runtime.isDryRun()) return "update";
  return pulumi.runtime.getStackResource() === undefined ? undefined : "program";
}

const newReport = () => new FindingReport<FailedResource>(({ name }) => name);
