import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { FleetsByChild } from "../shared/fleet-children.ts";
import type { ReadGates } from "../shared/read-settings.ts";
import { HeldFailures } from "./held-failures.ts";

/** What is kept for one program; a process of the Automation API runs several. */
export interface ProgramState {
  /** What was read for each connection and arguments. */
  readonly reads: Map<string, Promise<AgentLogConfigResult>>;
  readonly gates: ReadGates;
  readonly failures: HeldFailures;
  readonly fleets: FleetsByChild;
  /** It was warned of its configuration. */
  hasWarned: boolean;
}

const states = new WeakMap<pulumi.Resource, ProgramState>();

/** Returns what is kept for this program; undefined outside of one. */
export function programState(): ProgramState | undefined {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return undefined;
  const state = states.get(stack) ?? newState();
  states.set(stack, state);
  return state;
}

function newState(): ProgramState {
  let failures: HeldFailures | undefined;
  return {
    reads: new Map(),
    gates: new Map(),
    // A unit test holds nothing, and may run many programs.
    get failures() {
      failures ??= new HeldFailures();
      return failures;
    },
    fleets: new Map(),
    hasWarned: false,
  };
}
