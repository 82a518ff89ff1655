import { lookUpConnection, type SettingsSource } from "../connection/connection-settings.ts";
import { SettingsReader, type UncheckedRead } from "../connection/settings-reader.ts";
import type { EngineLog } from "../engine/engine-log.ts";
import { idOf } from "../model/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../model/agent-log-config-result.ts";
import type { RecordHost } from "../record/find-settings.ts";
import { FindingReport } from "../record/finding-report.ts";
import { HeldCalls } from "./held-calls.ts";
import { nameInUrn } from "./resource-urn.ts";

/** What the plugin remembers for one run of the engine. The engine configures an attached process again for each run. */
export class PluginRun {
  readonly calls: HeldCalls;
  readonly warnings = new FindingReport(nameInUrn);
  /** The reads ahead, by the URN of the resource and the arguments of the read. */
  readonly #readsAhead = new Map<string, Promise<AgentLogConfigResult>>();
  readonly #log: EngineLog;
  readonly #reader: SettingsReader;
  readonly #sources: readonly SettingsSource[];
  readonly #isFromProgram: boolean;

  /**
   * @param sources the places that the connection settings come from before the environment, the first one first
   * @param isFromProgram the program has sent the configuration; in a plain refresh the engine takes it from the state
   */
  constructor(log: EngineLog, sources: readonly SettingsSource[], isFromProgram: boolean) {
    this.#log = log;
    this.#reader = new SettingsReader((text) => log.showProgress(text));
    this.#isFromProgram = isFromProgram;
    this.#sources = sources;
    this.calls = new HeldCalls((urn, message) => log.show("ERROR", urn, message));
  }

  /** Reads settings with the connection of the provider. */
  read(readArguments: UncheckedRead): Promise<AgentLogConfigResult> {
    return this.#reader.read(lookUpConnection(...this.#sources), readArguments);
  }

  /**
   * Reads for a resource that the engine is going to ask for. If the read fails, the later call of the engine fails, and this
   * function does not.
   */
  async readAhead(urn: string, readArguments: UncheckedRead): Promise<void> {
    const read = this.calls.during(() => this.read(readArguments));
    this.#readsAhead.set(aheadKey(urn, readArguments), read);
    await read.catch(() => {});
  }

  warn(urn: string, message: string): void {
    this.#log.show("WARNING", urn, message);
  }

  /** Reports the findings of the run. */
  end(): void {
    this.calls.release();
    for (const { resource, message } of this.warnings.entries()) this.warn(resource, message);
  }

  /** Returns what the life of a resource needs of the engine. */
  hostOf(urn: string): RecordHost {
    return {
      sources: this.#sources,
      usesOldConnection: !this.#isFromProgram,
      read: (readArguments) => this.#readsAhead.get(aheadKey(urn, readArguments)) ?? this.read(readArguments),
    };
  }
}

/** Returns the key of a read ahead. The key has the arguments, because a transform may have changed them since. */
function aheadKey(urn: string, readArguments: UncheckedRead): string {
  return `${urn} ${idOf(readArguments)}`;
}
