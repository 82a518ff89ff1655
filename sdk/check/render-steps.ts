import { styleText } from "node:util";
import type { Step } from "./steps.ts";
import { wrapText } from "./wrap-text.ts";

const INDENT = 14;

/** Renders the steps for a person: one line each, more where a failure needs them. */
export function renderSteps(steps: readonly Step[]): string {
  return steps.map(renderStep).join("");
}

/** How each status is marked. */
export const MARKS = {
  ok: { mark: "✓", colour: "green" },
  failed: { mark: "✗", colour: "red" },
  "not asked for": { mark: "-", colour: "dim" },
  "not reached": { mark: "-", colour: "dim" },
} as const;

function renderStep({ step, status, message, warning }: Step): string {
  const { mark, colour } = MARKS[status];
  const isSeen = status === "ok" || status === "failed";
  const text = isSeen ? message : [status, message].filter(Boolean).join(": ");
  const lines = wrapText(`${mark} ${step}`, text, INDENT);
  const shown = status === "ok" ? lines.replace(mark, styleText(colour, mark)) : styleText(colour, lines);
  const warned = warning === undefined ? "" : `${styleText("yellow", wrapText("! warning", warning, INDENT))}\n`;
  return `${shown}\n${warned}`;
}
