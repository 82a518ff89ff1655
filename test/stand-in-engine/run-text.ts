import { differencesOf, textOf } from "../deployment/differences-of.ts";
import { type StepSummary, summarizeStep } from "../deployment/step-summary.ts";
import { maskSecrets, type PropertyMap } from "./property-value.ts";
import { isDefaultProvider, type Resource, stackType } from "./resource.ts";

export interface Step {
  readonly op: "same" | "create" | "update" | "delete" | "replace";
  readonly old?: Resource | undefined;
  readonly new?: Resource | undefined;
}

const marks = { create: "+ ", update: "~ ", delete: "- ", replace: "+-" };
const counted = ["create", "update", "delete", "replace"] as const;
const past = { create: "created", update: "updated", delete: "deleted", replace: "replaced" };

/** What a run has done, and the text that says so: steps as they are taken, then diagnostics. */
export class RunText {
  readonly steps: StepSummary[] = [];
  readonly #planning: boolean;
  readonly #counts = { same: 0, create: 0, update: 0, delete: 0, replace: 0 };
  #stdout: string;
  #stderr = "";

  constructor(title: string, planning: boolean) {
    this.#stdout = `${title}:\n`;
    this.#planning = planning;
  }

  /** Notes a step that was taken, or that would be. */
  take({ op, old, new: fresh }: Step): void {
    const resource = fresh ?? old;
    if (resource === undefined || isDefaultProvider(resource)) return;
    this.#counts[op] += 1;
    if (op === "same" || resource.type === stackType) return;
    const [before, after] = [old?.inputs ?? {}, fresh?.inputs ?? {}];
    this.steps.push(...summarizeStep(op, resource.urn, before, after));
    this.#stdout += `${marks[op]}${resource.type}: (${op})\n`;
    if (op === "update" || op === "replace") this.outputs(before, after);
  }

  /** Draws what differs, such as what becomes of the outputs of the stack. */
  outputs(old: PropertyMap, fresh: PropertyMap): void {
    for (const { path, from, to } of differencesOf(maskSecrets(old), maskSecrets(fresh))) {
      const [added, deleted] = [`+ ${path}: ${textOf(to)}`, `- ${path}: ${textOf(from)}`];
      const line = from === null ? added : to === null ? deleted : `~ ${path}: ${textOf(from)} => ${textOf(to)}`;
      this.#stdout += `    ${line}\n`;
    }
  }

  warn(text: string): void {
    this.#stderr += `${text}\n`;
  }

  /** @param message empty where the program has said it itself */
  error(message: string): void {
    if (message !== "") this.warn(`error: ${message}`);
  }

  finish(): string {
    const kinds = counted.filter((op) => this.#counts[op] > 0);
    const lines = kinds.map((op) => `${marks[op]}${this.#counts[op]} ${this.#planning ? `to ${op}` : past[op]}`);
    if (this.#counts.same > 0) lines.push(`${this.#counts.same} unchanged`);
    return `${this.#stdout}Resources:\n${lines.map((line) => `    ${line}\n`).join("")}${this.#stderr}`;
  }
}
