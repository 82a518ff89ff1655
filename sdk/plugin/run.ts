import type { AgentKind } from "../client/agent-log-config-id.ts";
import type { CheckResult, Engine } from "../provider/resource-lifecycle.ts";
import { adviseCheck } from "../shared/advise-check.ts";
import { lookUpConnection, type SettingsSource } from "../shared/connection-settings.ts";
import type { ToldOutages } from "../shared/describe-failures.ts";
import type { FleetsByChild } from "../shared/fleet-children.ts";
import { type ReadGates, readSettings } from "../shared/read-settings.ts";
import type { ReadForCall } from "./call-function.ts";
import type { EngineLog } from "./engine-log.ts";
import { HeldCalls } from "./held-calls.ts";

/** Where a provider's settings are, and its stack. */
export interface ProviderConfiguration {
  /** The places that the connection settings come from before the environment, the first one first. */
  readonly sources: readonly SettingsSource[];
  readonly stack?: string | undefined;
}

interface ReadAhead {
  readonly projectId: unknown;
  readonly agent: AgentKind;
  readonly read: ReturnType<ReadForCall>;
}

/** What is remembered for one run of the engine, which configures an attached process anew for each. */
export class Run {
  readonly failures: HeldCalls;
  /** What Check has found of each resource, by its URN. Diff, Create and Update need it. */
  readonly checks = new Map<string, CheckResult>();
  /** What a fleet has read for children that the engine is going to ask for, by their URNs. */
  readonly readsAhead = new Map<string, ReadAhead>();
  readonly fleets: FleetsByChild = new Map();
  readonly toldOutages: ToldOutages = new Map();
  readonly #gates: ReadGates = new Map();
  readonly #log: EngineLog;
  readonly #configuration: ProviderConfiguration;

  constructor(log: EngineLog, configuration: ProviderConfiguration) {
    this.#log = log;
    this.#configuration = configuration;
    this.failures = new HeldCalls((urn, message) => log.show("ERROR", urn, message));
  }

  /** Reads settings with the connection of the provider. */
  readonly read: ReadForCall = (asked) => {
    const { sources, stack } = this.#configuration;
    const connection = lookUpConnection(...sources);
    return readSettings(connection, asked, this.#gates).catch((error) => adviseCheck(error, connection, asked, stack));
  };

  warn(urn: string, message: string): void {
    this.#log.show("WARNING", urn, message);
  }

  /** Returns what the life of a resource needs of the engine. */
  engineOf(urn: string): Engine {
    return {
      sources: this.#configuration.sources,
      gates: this.#gates,
      toldOutages: this.toldOutages,
      warn: (message) => this.warn(urn, message),
      read: (args) => {
        const ahead = this.readsAhead.get(urn);
        return ahead && ahead.projectId === args["projectId"] && ahead.agent === args["agent"]
          ? ahead.read
          : this.read(args);
      },
    };
  }
}
