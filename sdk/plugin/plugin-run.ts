import type { EngineLog } from "../engine/engine-log.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import type { ReadArguments } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { type Finding, FindingReport, failureText } from "../record/finding-report.ts";
import type { RecordHost } from "../record/read-outcome.ts";
import { nameInUrn } from "./engine-messages.ts";

/** What the plugin remembers for one run of the engine. The engine configures an attached process again for each run. */
export class PluginRun {
  readonly calls: HeldCalls;
  readonly warnings = new FindingReport(nameInUrn);
  readonly #log: EngineLog;
  readonly #reader: SettingsReader;
  readonly #connection: ConnectionSettings;
  readonly #isFromProgram: boolean;

  /** @param isFromProgram the program has sent the configuration; in a plain refresh the engine takes it from the state */
  constructor(log: EngineLog, connection: ConnectionSettings, isFromProgram: boolean) {
    this.#log = log;
    this.#reader = new SettingsReader((text) => log.showProgress(text), { isTotalKnown: false });
    this.#isFromProgram = isFromProgram;
    this.#connection = connection;
    this.calls = new HeldCalls((urn, message) => log.show("ERROR", urn, message));
  }

  read(readArguments: ReadArguments): Promise<AgentLogConfigResult> {
    return this.#reader.read(this.#connection, readArguments);
  }

  warn(urn: string, message: string): void {
    this.#log.show("WARNING", urn, message);
  }

  end(): void {
    this.calls.release();
    for (const { resource, message } of this.warnings.entries()) this.warn(resource, message);
  }

  get host(): RecordHost {
    return {
      connection: this.#connection,
      usesOldConnection: !this.#isFromProgram,
      read: (args) => this.read(args),
      readMember: (args) => this.#reader.readMember(this.#connection, args),
    };
  }
}

/** After how many milliseconds without a call of the engine the failures of a preview or a refresh are reported. */
const SILENCE_MILLISECONDS = 3000;

/**
 * Reports what fails in a run, each cause once. The engine ends its work at the first call that fails. In a preview or a refresh
 * that call is held until the engine has nothing more to ask, so that everything else is compared before.
 */
export class HeldCalls {
  readonly #showError: (urn: string, message: string) => void;
  #report = new FindingReport(nameInUrn);
  /** How many calls are under way. */
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #heldCall: HeldCall | undefined;
  #hasReported = false;

  constructor(showError: (urn: string, message: string) => void) {
    this.#showError = showError;
  }

  /** Answers a call of the engine. Nothing is reported meanwhile. */
  async during<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
    this.#running += 1;
    clearTimeout(this.#timer);
    try {
      return await answer();
    } finally {
      this.#running -= 1;
      this.#awaitSilence();
    }
  }

  /** Notes why a resource fails. The engine may end the run before it comes to the call that fails. */
  note(urn: string, failures: readonly Finding[]): void {
    for (const failure of failures) this.#report.note(urn, failure);
  }

  fail(urn: string, failures: readonly Finding[]): never {
    this.#report.forget(urn);
    throw new Error(failureText(failures));
  }

  /**
   * Holds the first call that fails, inside `during`. For every other call it returns, so that the call is answered, and its failures
   * are reported with those of the call that is held.
   */
  async hold(urn: string, failures: readonly Finding[]): Promise<void> {
    if (this.#hasReported) this.fail(urn, failures);
    this.note(urn, failures);
    if (this.#heldCall !== undefined) return;
    const { promise, reject: fail } = Promise.withResolvers<never>();
    this.#heldCall = { urn, fail };
    this.#awaitSilence();
    await promise;
  }

  /** Reports what fails, once the engine has nothing more to ask, or when it ends the run. */
  release(): void {
    clearTimeout(this.#timer);
    const [heldCall, entries] = [this.#heldCall, this.#report.entries(this.#heldCall?.urn)];
    this.#heldCall = undefined;
    this.#hasReported ||= heldCall !== undefined;
    this.#report = new FindingReport(nameInUrn);
    // An error of gRPC has no room for all causes of a large fleet.
    const heldEntry = entries.find(({ resource }) => resource === heldCall?.urn);
    for (const entry of entries) if (entry !== heldEntry) this.#showError(entry.resource, entry.message);
    heldCall?.fail(new Error(heldEntry?.message));
  }

  #awaitSilence(): void {
    clearTimeout(this.#timer);
    // The call that is held is also running, so 1 means that there is no other.
    if (this.#heldCall !== undefined && this.#running <= 1) {
      this.#timer = setTimeout(() => this.release(), SILENCE_MILLISECONDS);
    }
  }
}

interface HeldCall {
  readonly urn: string;
  readonly fail: (reason: Error) => void;
}
