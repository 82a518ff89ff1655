import * as pulumi from "@pulumi/pulumi";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import { type ConnectionSettings, connectionKey } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { ProgramReport } from "./program-report.ts";

/** What is kept for one program; a process of the Automation API runs several. */
class ProgramState {
  readonly reads = new Map<string, Promise<AgentLogConfigResult>>();
  readonly report = new ProgramReport();
  readonly reader: SettingsReader;
  /** It has warned of the stack configuration. */
  hasWarned = false;

  constructor(reader: SettingsReader) {
    this.reader = reader;
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
  if (stack === undefined) return Object.assign(new ProgramState(READER_WITHOUT_PROGRAM), { hasWarned: true });
  const state = states.get(stack) ?? new ProgramState(new SettingsReader(showBesideStack));
  states.set(stack, state);
  return state;
}

/**
 * Reads settings. Equal reads of a program are made once, so that all readers see the same, unless the earlier one has failed.
 * @param hasWaited it waited for a resource, which may have changed the settings: such a read is always made anew
 */
export function readShared(
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
