import type { EngineLog } from "../engine/engine-log.ts";
import type { AgentLogConfigResult } from "../model/agent-log-settings.ts";
import { idOf, type ReadArguments, readArgumentsSchema } from "../model/read-arguments.ts";
import type { ConnectionSettings } from "../reading/connection-settings.ts";
import { SettingsReader } from "../reading/settings-reader.ts";
import { type Finding, FindingReport } from "../record/finding-report.ts";
import type { RecordHost } from "../record/read-outcome.ts";
import { nameInUrn } from "./engine-messages.ts";

/** What the plugin remembers for one run of the engine. The engine configures an attached process again for each run. */
export class PluginRun {
  readonly calls: HeldCalls;
  readonly warnings = new FindingReport(nameInUrn);
  /** The reads ahead, by the URN of the resource and the arguments of the read. */
  readonly #readsAhead = new Map<string, Promise<AgentLogConfigResult>>();
  readonly #log: EngineLog;
  readonly #reader: SettingsReader;
  readonly #connection: ConnectionSettings;
  readonly #isFromProgram: boolean;

  /** @param isFromProgram the program has sent the configuration; in a plain refresh the engine takes it from the state */
  constructor(log: EngineLog, connection: ConnectionSettings, isFromProgram: boolean) {
    this.#log = log;
    this.#reader = new SettingsReader((text) => log.showProgress(text), false);
    this.#isFromProgram = isFromProgram;
    this.#connection = connection;
    this.calls = new HeldCalls((urn, message) => log.show("ERROR", urn, message));
  }

  read(readArguments: ReadArguments): Promise<AgentLogConfigResult> {
    return this.#reader.read(this.#connection, readArguments);
  }

  /**
   * Reads for a resource that the engine is going to ask for. If the read fails or an argument is invalid, the later call of the engine
   * fails, and this function does not.
   */
  async readAhead(urn: string, args: object): Promise<void> {
    const { data: readArguments } = readArgumentsSchema.safeParse(args);
    if (readArguments === undefined) return;
    const read = this.calls.during(() => this.read(readArguments));
    this.#readsAhead.set(aheadKey(urn, readArguments), read);
    await read.catch(() => {});
  }

  warn(urn: string, message: string): void {
    this.#log.show("WARNING", urn, message);
  }

  end(): void {
    this.calls.release();
    for (const { resource, message } of this.warnings.entries()) this.warn(resource, message);
  }

  hostOf(urn: string): RecordHost {
    return {
      connection: this.#connection,
      usesOldConnection: !this.#isFromProgram,
      read: (readArguments) => this.#readsAhead.get(aheadKey(urn, readArguments)) ?? this.read(readArguments),
    };
  }
}

/** Returns the key of a read ahead. The key has the arguments, because a transform may have changed them since. */
function aheadKey(urn: string, readArguments: ReadArguments): string {
  return `${urn} ${idOf(readArguments)}`;
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
  /** How many calls and reads ahead are under way. */
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #heldCall: HeldCall | undefined;
  #hasReported = false;

  constructor(showError: (urn: string, message: string) => void) {
    this.#showError = showError;
  }

  /** Answers a call of the engine, or reads ahead of its calls. Nothing is reported meanwhile. */
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
    throw new Error(failures.map(({ message }) => message).join("\n"));
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
    const heldEntries = entries.filter(({ resource }) => resource === heldCall?.urn);
    for (const { resource, message } of entries) if (resource !== heldCall?.urn) this.#showError(resource, message);
    heldCall?.fail(new Error(heldEntries.map(({ message }) => message).join("\n")));
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
