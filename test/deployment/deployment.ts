import type { StepSummary } from "./step-summary.ts";

/** One stack of one program folder, on the real engine or on the stand-in. */
export interface Deployment {
  /** Sets a full key such as "agent-log-config:baseUrl". */
  setConfig(key: string, value: string, options?: { secret?: boolean }): Promise<void>;
  /** Sets several full keys at once, in plain text. */
  setConfigs(values: Readonly<Record<string, string>>): Promise<void>;
  unsetConfig(key: string): Promise<void>;
  preview(options?: RunOptions & { readonly expectNoChanges?: boolean }): Promise<Run>;
  up(options?: RunOptions): Promise<Run>;
  refresh(options?: RunOptions): Promise<Run>;
  destroy(options?: RunOptions): Promise<Run>;
  /** Runs any operation of the CLI that shows steps. The real engine alone has it. */
  run(args: readonly string[]): Promise<Run>;
  /** What `pulumi stack export` gives, with secrets encrypted. */
  exportState(): Promise<unknown>;
  /** Puts a state in the place of what the stack has, as `pulumi stack import` does. The real engine alone has it. */
  importState(state: unknown): Promise<void>;
  /** What `pulumi stack output --json` gives, with secrets masked. */
  outputs(): Promise<Record<string, unknown>>;
  /** Ends what still runs and removes the temporary folders. The program folder stays as it was. */
  close(): Promise<void>;
}

export interface RunOptions {
  /** Added to the environment of the program and of the provider host for this run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run with everything it started. */
  readonly signal?: AbortSignal;
}

export interface Run {
  readonly ok: boolean;
  readonly exitCode: number;
  /** All that is printed, standard output before standard error, without colours. The stand-in only resembles the CLI. */
  readonly text: string;
  /** What has changed or would change, in the order of the engine. */
  readonly steps: readonly StepSummary[];
}
