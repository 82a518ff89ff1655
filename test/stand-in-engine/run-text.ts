import { type StepSummary, summarizeStep } from "../deployment/step-summary.ts";
import { compareProperties, type MapDifference } from "./difference.ts";
import { differenceText, mapText } from "./property-text.ts";
import { maskSecrets, type PropertyMap } from "./property-value.ts";
import { isDefaultProvider, type Resource, stackType } from "./resource.ts";

export type Op = "same" | "create" | "update" | "delete" | "replace" | "read" | "discard";

export interface Step {
  readonly op: Op;
  readonly old?: Resource | undefined;
  readonly new?: Resource | undefined;
  /** The exact difference, where the engine computed one itself. */
  readonly detail?: MapDifference | undefined;
}

const marks = { create: "+ ", update: "~ ", delete: "- ", replace: "+-", read: "> ", discard: "< " };
const counted = ["create", "update", "delete", "replace"] as const;
const past = { create: "created", update: "updated", delete: "deleted", replace: "replaced" };

/** What a run has done, and the text that says so: steps as they are taken, then diagnostics. */
export class RunText {
  readonly steps: StepSummary[] = [];
  readonly #planning: boolean;
  readonly #counts = new Map<Op, number>();
  #stdout: string;
  #stderr = "";

  constructor(title: string, planning: boolean) {
    this.#stdout = `${title}:\n`;
    this.#planning = planning;
  }

  get changes(): number {
    return counted.reduce((sum, op) => sum + this.#count(op), 0);
  }

  /** Notes a step that was taken, or that would be. */
  take(step: Step): void {
    const { op, old, new: fresh, detail } = step;
    const resource = fresh ?? old;
    if (resource === undefined || isDefaultProvider(resource)) return;
    this.#counts.set(op, this.#count(op) + 1);
    if (op === "same" || resource.type === stackType) return;
    const [before, after] = [maskSecrets(old?.inputs ?? {}), maskSecrets(fresh?.inputs ?? {})];
    this.steps.push(...summarizeStep(op, resource.urn, before, after));
    const difference = detail ?? compareProperties(before, after);
    this.#stdout += `${marks[op]}${resource.type}: (${op})\n`;
    if (op === "create") this.#stdout += mapText(after, 1);
    else if ((op === "update" || op === "replace") && difference) this.#stdout += differenceText(difference, 1);
  }

  /** Draws what becomes of the outputs of the stack. */
  outputs(old: PropertyMap, fresh: PropertyMap): void {
    const difference = compareProperties(maskSecrets(old), maskSecrets(fresh));
    if (difference) this.#stdout += `    --outputs:--\n${differenceText(difference, 1)}`;
  }

  warn(text: string): void {
    this.#stderr += `${text}\n`;
  }

  error(message: string): void {
    this.#stderr += `error: ${message}\n`;
  }

  finish(): string {
    const kinds = counted.filter((op) => this.#count(op) > 0);
    const lines = kinds.map((op) => `${marks[op]}${this.#count(op)} ${this.#planning ? `to ${op}` : past[op]}`);
    if (this.#count("same") > 0) lines.push(`${this.#count("same")} unchanged`);
    return `${this.#stdout}Resources:\n${lines.map((line) => `    ${line}\n`).join("")}${this.#stderr}`;
  }

  #count(op: Op): number {
    return this.#counts.get(op) ?? 0;
  }
}
