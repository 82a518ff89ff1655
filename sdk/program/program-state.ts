import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { FleetsByChild } from "../shared/fleet-children.ts";
import { SettingsReader } from "../shared/settings-reader.ts";
import { HeldFailures } from "./held-failures.ts";

/** What is kept for one program; a process of the Automation API runs several. */
class ProgramState {
  /** What was read for each connection and arguments. */
  readonly reads = new Map<string, Promise<AgentLogConfigResult>>();
  readonly failures = new HeldFailures();
  readonly fleets: FleetsByChild = new Map();
  /** It was warned of its configuration. */
  hasWarned = false;
  // A program that the Automation API runs in its own process has no stack that a command would find.
  readonly reader = new SettingsReader(() => process.env["PULUMI_NODEJS_STACK"]);
}

const OUTSIDE = new ProgramState();
const states = new WeakMap<pulumi.Resource, ProgramState>();

/** Returns what is kept for this program. Outside of one, as in a component provider, only refused keys are remembered. */
export function programState(): ProgramState {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return { ...new ProgramState(), reader: OUTSIDE.reader, hasWarned: true };
  const state = states.get(stack) ?? new ProgramState();
  states.set(stack, state);
  return state;
}
