import * as pulumi from "@pulumi/pulumi";
import { ReadProgress } from "../connection/read-progress.ts";
import { readAlone, SettingsReader } from "../connection/settings-reader.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { ResourceReports } from "./resource-reports.ts";

/** What is kept for one program; a process of the Automation API runs several. */
class ProgramState {
  /** What was read for each connection and arguments. */
  readonly reads = new Map<string, Promise<AgentLogConfigResult>>();
  readonly reports = new ResourceReports();
  readonly progress = new ReadProgress(showBesideStack);
  readonly reader: Pick<SettingsReader, "read">;
  /** The program was warned of its configuration. */
  hasWarned: boolean;

  constructor(reader: Pick<SettingsReader, "read"> = new SettingsReader(), hasWarned = false) {
    this.reader = reader;
    this.hasWarned = hasWarned;
  }
}

/** The engine shows it as long as the run lasts, and not among the messages at its end. */
function showBesideStack(text: string): void {
  pulumi.log.info(text, undefined, undefined, true).catch(() => {});
}

const states = new WeakMap<pulumi.Resource, ProgramState>();

/** Returns what is kept for this program. Outside of a program, as in a component provider, nothing is kept. */
export function programState(): ProgramState {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return new ProgramState({ read: readAlone }, true);
  const state = states.get(stack) ?? new ProgramState();
  states.set(stack, state);
  return state;
}
