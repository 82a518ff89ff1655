import * as pulumi from "@pulumi/pulumi";
import { SettingsReader } from "../connection/settings-reader.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import { ResourceReports } from "./resource-reports.ts";

/** What is kept for one program; a process of the Automation API runs several. */
class ProgramState {
  /** What was read for each connection and arguments. */
  readonly reads = new Map<string, Promise<AgentLogConfigResult>>();
  readonly reports = new ResourceReports();
  readonly reader: SettingsReader;
  /** The program was warned of its configuration. */
  hasWarned: boolean;

  constructor(reader = new SettingsReader(showBesideStack), hasWarned = false) {
    this.reader = reader;
    this.hasWarned = hasWarned;
  }
}

/** The engine shows it as long as the run lasts, and not among the messages at its end. */
function showBesideStack(text: string): void {
  if (pulumi.runtime.getStackResource() === undefined) return;
  pulumi.log.info(text, undefined, undefined, true).catch(() => {});
}

const states = new WeakMap<pulumi.Resource, ProgramState>();

/** Reads outside of a program, as in a component provider. */
const OUTSIDE = new SettingsReader(showBesideStack);

/** Returns what is kept for this program. Outside of a program only clients are kept. */
export function programState(): ProgramState {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return new ProgramState(OUTSIDE, true);
  const state = states.get(stack) ?? new ProgramState();
  states.set(stack, state);
  return state;
}
