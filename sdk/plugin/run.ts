import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import type { Checked, Host, Properties } from "../provider/resource-lifecycle.ts";
import { adviseCheck } from "../shared/advise-check.ts";
import { lookUpConnection, type SettingsSource } from "../shared/connection-settings.ts";
import { FailureReport } from "../shared/failure-report.ts";
import type { FleetsByChild } from "../shared/fleet-children.ts";
import { type ReadGates, readSettings } from "../shared/read-settings.ts";
import type { ReadForCall } from "./call-function.ts";
import type { EngineLog } from "./engine-log.ts";
import { HeldCalls, nameOf } from "./held-calls.ts";

/** Where a provider's settings are, and its stack. */
export interface ProviderConfiguration {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  readonly stack?: string | undefined;
}

/** What a fleet has read for one of its children. */
interface ReadAhead {
  readonly projectId: unknown;
  readonly agent: unknown;
  readonly read: ReturnType<ReadForCall>;
}

/** What Check has found of a resource, the record that it was given, and what it has read, if it has. */
export interface CheckedRecord extends Checked {
  readonly record: Properties;
  readonly read?: { readonly args: object; readonly result: Promise<AgentLogConfigResult> } | undefined;
}

/** What is remembered for one run of the engine, which configures an attached process anew for each. */
export class Run {
  readonly failures: HeldCalls;
  readonly warnings = new FailureReport(nameOf);
  /** What Check has found of each resource, by its URN. Diff, Create and Update need it. */
  readonly checks = new Map<string, CheckedRecord>();
  /** What a fleet has read for children that the engine is going to ask for, by their URNs. */
  readonly readsAhead = new Map<string, ReadAhead>();
  readonly fleets: FleetsByChild = new Map();
  readonly #gates: ReadGates = new Map();
  readonly #log: EngineLog;
  readonly #configuration: ProviderConfiguration;
  readonly #isFromProgram: boolean;

  /** @param isFromProgram the program has sent the configuration; in a plain refresh the engine takes it from the state */
  constructor(log: EngineLog, configuration: ProviderConfiguration, isFromProgram: boolean) {
    this.#log = log;
    this.#isFromProgram = isFromProgram;
    this.#configuration = configuration;
    this.failures = new HeldCalls((urn, message) => log.show("ERROR", urn, message));
  }

  /** Reads settings with the connection of the provider. */
  readonly read: ReadForCall = (asked, isSecret = true) => {
    const { sources, stack } = this.#configuration;
    const connection = lookUpConnection(...sources);
    return readSettings(connection, asked, this.#gates, isSecret).catch((error) =>
      adviseCheck(error, connection, asked, stack),
    );
  };

  /** Reads for a check, unless a fleet has just read for it. */
  async readToCheck(urn: string, args: Properties): Promise<AgentLogConfigResult> {
    const ahead = this.readsAhead.get(urn);
    const isSame = ahead?.projectId === args["projectId"] && ahead?.agent === args["agent"];
    return ahead !== undefined && isSame ? ahead.read : this.read(args);
  }

  warn(urn: string, message: string): void {
    this.#log.show("WARNING", urn, message);
  }

  /** Tells what was found at the end of the run. */
  tell(): void {
    this.failures.tell();
    for (const { resource, message } of this.warnings.tell()) this.warn(resource, message);
  }

  /** Returns what the life of a resource needs of the engine. */
  hostOf(urn: string): Host {
    return {
      sources: this.#configuration.sources,
      record: this.checks.get(urn)?.record,
      refreshAdvice: this.#isFromProgram ? undefined : REFRESH_ADVICE,
      read: this.read,
    };
  }
}

const REFRESH_ADVICE =
  "This refresh used the connection of the last `pulumi up`; after a change of the connection run `pulumi up`, or `pulumi refresh --run-program`.";
