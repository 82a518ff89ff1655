import * as pulumi from "@pulumi/pulumi";
import { type AgentLogConfigError, errorOf } from "../model/errors.ts";
import { printable } from "../model/printable.ts";
import { type Finding, FindingReport, failureText, parseFindings } from "../record/finding-report.ts";
import { failAtEnd, runsInline, runsWithMocks, whenKnown } from "./private-sdk.ts";

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
export class ResourceReports {
  #report = newReport();
  /** The lines that the engine has not taken yet. */
  readonly #pendingLines = new Set<string>();
  /** Ends some seconds after the last failure; undefined before the first one. */
  #timer: NodeJS.Timeout | undefined;

  /** Reports why a resource fails in a preview. */
  watch(resource: pulumi.Resource, name: string, failures: pulumi.Output<unknown>): void {
    whenKnown(failures, (reasons) => {
      for (const failure of parseFindings(reasons)) {
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

const newReport = () => new FindingReport<FailedResource>(({ name }) => name);

/**
 * Fails the program by a rejection that nobody handles. The SDK handles the rejection of an Output, too, but late, and Node.js
 * warns of that. The Output gets no value. In a unit test and an inline program the Output itself fails.
 */
export function failProgram(thrown: unknown): Promise<never> {
  const error = hideStack(thrown);
  if (runsWithMocks() || runsInline()) throw error;
  void Promise.reject(error);
  return new Promise(() => {});
}

/**
 * Lets the SDK print what was thrown as its message alone, if nobody catches it. The SDK would print the stack of an error that comes
 * after the main module has ended, and put the name of each property before the message that fails with it.
 */
export function hideStack(thrown: unknown): AgentLogConfigError {
  const error = errorOf(thrown);
  let { message } = error;
  const setMessage = (text: string) => {
    if (!text.startsWith("error serializing property")) message = text;
  };
  return Object.defineProperties(error, {
    stack: { get: () => message, set() {}, configurable: true },
    message: { get: () => message, set: setMessage, configurable: true },
  });
}
