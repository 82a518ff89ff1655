import { compareOutputs } from "./compare-outputs.ts";
import { compareProperties, type MapDifference } from "./difference.ts";
import { differenceText, indentation, mapText, outputText } from "./property-text.ts";
import { mapValues, type PropertyMap, replaceSecrets, secret } from "./property-value.ts";
import { isDefaultProvider, providerUrn, type Resource, stackType } from "./resource.ts";

export type Op = "same" | "create" | "update" | "delete" | "replace" | "read" | "discard" | "refresh";

export interface Step {
  readonly op: Op;
  readonly old?: Resource | undefined;
  readonly new?: Resource | undefined;
  /** The exact difference, where the engine computed one itself. */
  readonly detail?: MapDifference | undefined;
}

const marks = {
  same: "  ",
  create: "+ ",
  update: "~ ",
  delete: "- ",
  replace: "+-",
  read: "> ",
  discard: "< ",
  refresh: "~ ",
};
const counted = ["create", "update", "delete", "replace"] as const;
const past = { create: "created", update: "updated", delete: "deleted", replace: "replaced" };

/** Draws a run as `--diff` does: steps on standard output as they come, diagnostics on standard error. */
export class RunText {
  errorCount = 0;
  readonly #planning: boolean;
  readonly #parents = new Map<string, string>();
  readonly #drawn = new Set<string>();
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

  /** Draws a step that is about to be taken. */
  begin(step: Step): void {
    const resource = step.new ?? step.old;
    if (resource === undefined) return;
    this.#parents.set(resource.urn, resource.parent);
    if (isHidden(step, resource)) return;
    this.#drawn.add(resource.urn);
    this.#stdout += this.#header(step, resource);
    if (step.op !== "same") this.#stdout += this.#details(step, this.#indent(resource) + 1);
  }

  /** Draws what a step that was taken gave, where that says more than its inputs. */
  end(step: Step): void {
    const resource = step.new ?? step.old;
    if (resource === undefined || isHidden(step, resource)) return;
    this.#stdout += this.#outputs(step, resource, false);
  }

  count(step: Step): void {
    const resource = step.new ?? step.old;
    if (resource !== undefined && !isDefaultProvider(resource)) this.#counts.set(step.op, this.#count(step.op) + 1);
  }

  /** Draws a step of the command refresh, known only when it was taken. */
  refreshed(step: Step): void {
    this.count(step);
    const resource = step.new ?? step.old;
    if (resource === undefined) return;
    this.#place(resource);
    if (isHidden(step, resource)) return;
    this.#stdout += this.#header(step, resource);
    if (step.op === "update") this.#stdout += this.#details(step, this.#indent(resource) + 1);
    else this.#stdout += this.#outputs(step, resource, true);
  }

  /** Draws a step of the refresh before a program. */
  refreshedBefore(step: Step): void {
    const resource = step.new ?? step.old;
    if (resource === undefined) return;
    this.#place(resource);
    const isShown = compareProperties(step.old?.outputs ?? {}, step.new?.outputs ?? {}) !== undefined;
    if (isHidden(step, resource) || (!isShown && resource.type !== stackType)) return;
    this.#stdout += this.#header({ ...step, op: "refresh" }, resource) + this.#outputs(step, resource, true);
  }

  warn(text: string): void {
    this.#stderr += `${text}\n`;
  }

  error(message: string): void {
    this.#stderr += `error: ${message}\n`;
  }

  finish(farewell = ""): string {
    const kinds = counted.filter((op) => this.#count(op) > 0);
    const lines = kinds.map((op) => `${marks[op]}${this.#count(op)} ${this.#planning ? `to ${op}` : past[op]}`);
    const unchanged = this.#count("same") > 0 ? `${this.#count("same")} unchanged` : "";
    const total = kinds.length > 1 ? `${this.changes} changes. ${unchanged}` : unchanged;
    if (total !== "") lines.push(total);
    if (this.errorCount > 0 && !this.#planning) lines.push(`${this.errorCount} errored`);
    const duration = this.#planning ? "" : "\nDuration: 1s\n";
    return `${this.#stdout}Resources:\n${lines.map((line) => `    ${line}\n`).join("")}${duration}${farewell}${this.#stderr}`;
  }

  /** Resources that are only read count as drawn, whether they are or not. */
  #place(resource: Resource): void {
    this.#parents.set(resource.urn, resource.parent);
    this.#drawn.add(resource.urn);
  }

  #count(op: Op): number {
    return this.#counts.get(op) ?? 0;
  }

  /** A resource stands below those of its ancestors that are drawn themselves. */
  #indent(resource: Resource): number {
    let indent = 0;
    for (let urn = resource.parent; urn !== ""; urn = this.#parents.get(urn) ?? "") {
      if (this.#drawn.has(urn)) indent++;
    }
    return indent;
  }

  #header({ op, old, new: fresh }: Step, resource: Resource): string {
    const indent = this.#indent(resource);
    const lock = resource.protect ? " 🔒" : fresh !== undefined && old?.protect ? " 🔓" : "";
    const hasOwnProvider = resource.provider !== "" && !/::default(_\w+)?$/.test(providerUrn(resource.provider));
    const lines = [
      ...(old?.id ? [`[id=${old.id}]`] : []),
      `[urn=${resource.urn}]`,
      ...(hasOwnProvider ? [`[provider=${resource.provider}]`] : []),
    ];
    return [
      `${indentation(indent)}${marks[op]}${resource.type}: (${op})${lock}\n`,
      ...lines.map((line) => `${indentation(indent + 1)}${line}\n`),
    ].join("");
  }

  #details({ op, old, new: fresh, detail }: Step, indent: number): string {
    if (detail !== undefined) return differenceText(detail, indent, { sames: false });
    if (old === undefined) return mapText(fresh?.inputs ?? {}, indent);
    if (fresh === undefined) return mapText(old.inputs, indent);
    const drawn = Object.keys(fresh.outputs).length > 0 && op !== "read" ? "outputs" : "inputs";
    const difference = compareProperties(masked(old[drawn]), masked(fresh[drawn]));
    return difference ? differenceText(difference, indent, { sames: true }) : mapText(old[drawn], indent);
  }

  #outputs(step: Step, resource: Resource, isRefresh: boolean): string {
    const isStack = resource.type === stackType;
    if (this.#planning && !isRefresh && !isStack && step.op !== "read") return "";
    const showSames = isStack && !this.#planning;
    const inputs = masked(step.new?.inputs ?? {});
    const outputs = masked(step.new?.outputs ?? {});
    const isInput = (key: string) =>
      !isRefresh && key in inputs && compareProperties(only(inputs, key), only(outputs, key)) === undefined;
    const difference = step.old && compareOutputs(masked(step.old.outputs), outputs);
    const indent = this.#indent(resource) + 1;
    const text = difference
      ? [...difference.entries]
          .filter(([key, entry]) => !isInput(key) && (showSames || entry.kind !== "same"))
          .map(([key, entry]) => outputText(key, entry, difference, indent))
          .join("")
      : step.old === undefined || showSames
        ? mapText(outputs, indent, "  ", (key, value) => value !== null && !isInput(key))
        : "";
    return text === "" ? "" : `${indentation(indent)}--outputs:--\n${text}`;
  }
}

function isHidden({ op }: Step, resource: Resource): boolean {
  return isDefaultProvider(resource) || (op === "same" && resource.type !== stackType);
}

/** Values in texts are compared with secrets masked: a secret that changes does not show. */
function masked(map: PropertyMap): PropertyMap {
  return mapValues(map, (value: PropertyMap[string]) => replaceSecrets(value, () => secret("hidden")));
}

function only(map: PropertyMap, key: string): PropertyMap {
  return { [key]: map[key] ?? null };
}
