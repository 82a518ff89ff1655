import type { EngineLog } from "../engine/engine-log.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import type { RecordContext } from "../record/find-outcome.ts";
import { RunReport } from "./run-report.ts";

/** What the plugin remembers for one run of the engine. The engine configures an attached process again for each run. */
export class PluginRun {
  readonly report: RunReport;
  readonly #reader: SettingsReader;
  readonly #connection: ConnectionSettings;
  readonly #isFromProgram: boolean;

  /** @param isFromProgram the program has sent the configuration; in a plain refresh the engine takes it from the state */
  constructor(log: EngineLog, connection: ConnectionSettings, isFromProgram: boolean) {
    this.report = new RunReport(log);
    this.#reader = new SettingsReader((text) => log.showProgress(text), { isTotalKnown: false });
    this.#connection = connection;
    this.#isFromProgram = isFromProgram;
  }

  read(readArguments: ReadArguments): Promise<AgentLogConfigResult> {
    return this.#reader.read(this.#connection, readArguments);
  }

  get context(): RecordContext {
    return {
      connection: this.#connection,
      usesOldConnection: !this.#isFromProgram,
      read: (args) => this.read(args),
      readMember: (args) => this.#reader.readMember(this.#connection, args),
    };
  }
}
