#!/usr/bin/env node
import { type CommandLine, readCommandLine, USAGE } from "./command-line.ts";
import { diagnose } from "./diagnose.ts";
import { readProjectList } from "./read-project-list.ts";
import { renderProjects } from "./render-projects.ts";
import { renderSteps } from "./render-steps.ts";
import { showProgress } from "./show-progress.ts";
import { CONNECTION_STEPS } from "./steps.ts";

// A reader such as `head` may close the pipe early.
process.stdout.on("error", (error) => {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
});
process.exitCode = await main();

async function main(): Promise<number> {
  let commandLine: CommandLine;
  let projectIds: readonly string[];
  try {
    commandLine = readCommandLine(process.argv.slice(2));
    if (commandLine.help) return print(USAGE, true);
    const { listFile } = commandLine;
    projectIds = [...commandLine.projectIds, ...(listFile === undefined ? [] : await readProjectList(listFile))];
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error} Try --help.\n`);
    return 2;
  }
  const isOne = commandLine.projectIds.length === 1 && commandLine.listFile === undefined;
  return isOne ? checkOne(commandLine, projectIds) : checkMany(commandLine, projectIds);
}

async function checkOne({ json, stack }: CommandLine, projectIds: readonly string[]): Promise<number> {
  const { steps } = await diagnose(stack, projectIds);
  const ok = steps.every(({ status }) => status !== "failed");
  return print(json ? toJson({ ok, steps }) : renderSteps(steps), ok);
}

async function checkMany({ json, stack }: CommandLine, projectIds: readonly string[]): Promise<number> {
  if (projectIds.length === 0) {
    const text = "The list has no projects, so nothing was read.\n";
    return print(json ? toJson({ ok: true, steps: [], projects: [] }) : text, true);
  }
  const progress = showProgress();
  const diagnosis = await diagnose(stack, projectIds, progress.update);
  progress.end();
  const { projects } = diagnosis;
  const steps = diagnosis.steps.filter(({ step }) => CONNECTION_STEPS.includes(step));
  const ok = projects.every(({ status }) => status === "ok");
  return print(json ? toJson({ ok, steps, projects }) : `${renderSteps(steps)}\n${renderProjects(projects)}`, ok);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Returns the exit code. */
function print(text: string, ok: boolean): number {
  process.stdout.write(text);
  return ok ? 0 : 1;
}
