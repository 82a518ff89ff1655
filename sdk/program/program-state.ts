import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import { type ConnectionSettings, connectionKey } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { ResourceReports } from "./program-failures.ts";

/** What is kept for one program; a process of the Automation API runs several. */
class ProgramState {
  readonly reads = new Map<string, Promise<AgentLogConfigResult>>();
  readonly reports = new ResourceReports();
  readonly reader: SettingsReader;
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
const READER_WITHOUT_PROGRAM = new SettingsReader(showBesideStack);

/** Returns what is kept for this program. Outside of a program only clients are kept. */
export function programState(): ProgramState {
  const stack = pulumi.runtime.getStackResource();
  if (stack === undefined) return new ProgramState(READER_WITHOUT_PROGRAM, true);
  const state = states.get(stack) ?? new ProgramState();
  states.set(stack, state);
  return state;
}

/**
 * Reads settings once in a program for the same connection and arguments, so that all readers see the same. A read that
 * failed is made anew.
 * @param hasWaited it waited for a resource, which may have changed the settings: such a read is always made anew
 */
export function readOnce(
  connection: ConnectionSettings,
  args: ReadArguments,
  hasWaited: boolean,
): Promise<AgentLogConfigResult> {
  const { reads, reader } = programState();
  if (hasWaited) return reader.read(connection, args);
  const { projectId, agent, envelope, pretty } = args;
  const key = JSON.stringify([connectionKey(connection), projectId, agent, envelope, pretty]);
  const earlierRead = reads.get(key);
  if (earlierRead !== undefined) return earlierRead;
  const newRead = reader.read(connection, args);
  reads.set(key, newRead);
  newRead.catch(() => reads.delete(key));
  return newRead;
}
