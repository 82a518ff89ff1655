import { styleText } from "node:util";
import type { Step } from "./diagnose.ts";

/** Characters of a line. */
const WIDTH = 80;
const INDENT = 14;

/** The steps for a person: one line each, more where a failure needs them. */
export function renderSteps(steps: readonly Step[]): string {
  return steps.map(renderStep).join("");
}

const MARKS = {
  ok: { mark: "✓", colour: "green" },
  failed: { mark: "✗", colour: "red" },
  "not reached": { mark: "-", colour: "dim" },
} as const;

function renderStep({ step, status, message }: Step): string {
  const { mark, colour } = MARKS[status];
  const [first = "", ...more] = wrap(status === "not reached" ? status : message);
  const lines = [`${mark} ${step.padEnd(INDENT - 2)}${first}`, ...more.map((line) => " ".repeat(INDENT) + line)];
  const text = lines.join("\n");
  return `${status === "ok" ? text.replace(mark, styleText(colour, mark)) : styleText(colour, text)}\n`;
}

function wrap(text: string): string[] {
  return text.match(new RegExp(`\\S.{0,${WIDTH - INDENT - 1}}(?=\\s|$)|\\S+`, "g")) ?? [""];
}
