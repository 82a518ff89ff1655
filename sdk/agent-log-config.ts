import * as pulumi from "@pulumi/pulumi";
import type { Agent, LogRotate } from "./client/agent-log-config.ts";
import { parseAgentLogConfigId } from "./client/agent-log-config-id.ts";
import { AgentLogConfigError, invalidArgument } from "./client/errors.ts";
import { isObject } from "./client/is-object.ts";
import type { ReadArguments } from "./client/read-arguments.ts";
import { NO_SETTINGS, type Problem, type RecordedSettings, recordSettings } from "./client/recorded-settings.ts";
import { clientsAreReplaced } from "./client/shared-client.ts";
import { DoorError } from "./door-error.ts";
import { type ExpectedSettings, unmetExpectations } from "./expected-settings.ts";
import { connectionOf, type ProviderConnection } from "./provider.ts";
import { PROVIDER_TEXT } from "./provider-text.ts";
import { type Circumstances, readSettings } from "./read-settings.ts";
import { RESOURCE_TYPE } from "./resource-type.ts";
import { waitForDependencies } from "./wait-for-dependencies.ts";

/** What an {@link AgentLogConfig} records. */
export interface AgentLogConfigArgs {
  /** 24 hexadecimal digits (contract, section 2.2). Another project is another resource. */
  readonly projectId: pulumi.Input<string>;
  /** `"monitoring"` or `"backup"` (contract, section 4). Another agent is another resource. */
  readonly agent: pulumi.Input<Agent>;
  /** Asks the service to wrap its answer (contract, section 4.4). The result is the same. Default: false. */
  readonly envelope?: pulumi.Input<boolean> | undefined;
  /** Asks the service to print its answer for people (contract, section 4.4). The result is the same. Default: false. */
  readonly pretty?: pulumi.Input<boolean> | undefined;
  /** Settings that must be as given here; each that is not fails the preview and the update. */
  readonly expect?: pulumi.Input<ExpectedSettings> | undefined;
  /**
   * What to do in an outage: a connection that fails, a time-out, status 429 or 5xx. `"fail"` fails the resource,
   * `"useRecorded"` keeps the settings of the state with a warning, in previews, updates and refreshes; other refusals,
   * and a resource with nothing recorded, fail all the same. Default: `"fail"`.
   */
  readonly whenUnavailable?: pulumi.Input<"fail" | "useRecorded"> | undefined;
}

/**
 * The log settings of one agent of one project, recorded in the state, so that the next preview or refresh shows property
 * by property what somebody has changed in the service. The service itself is only read: creating, updating and deleting
 * concern the record alone, and deleting needs neither the service nor a key.
 *
 * The program reads when the arguments are known and everything in `dependsOn` exists; what fails is a problem of this
 * resource. A provider that is set by an asynchronous transform is not seen by the read: pass it as `provider`.
 *
 * @see the contract, sections 2.1, 4.1 and 4.2
 * @example
 * ```ts
 * import { AgentLogConfig } from "pulumi-agent-log-config";
 *
 * const monitoring = new AgentLogConfig("monitoring", { projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * export const logPath = monitoring.logPath;
 * ```
 */
export class AgentLogConfig extends pulumi.CustomResource {
  /** 24 hexadecimal digits. */
  declare readonly projectId: pulumi.Output<string>;
  /** Whose settings they are. */
  declare readonly agent: pulumi.Output<Agent>;
  /** Absolute path of the agent's log file; without it the agent writes to standard error. */
  declare readonly logPath: pulumi.Output<string | undefined>;
  /** The same for Windows hosts, usually with `%SystemDrive%`. */
  declare readonly logPathWindows: pulumi.Output<string | undefined>;
  /** Thresholds after which the agent rotates its log. */
  declare readonly logRotate: pulumi.Output<LogRotate | undefined>;
  /** The database user that manages the agent's logs, or an X.509 subject. */
  declare readonly username: pulumi.Output<string | undefined>;
  /** Settings that differ from the agent's own. They may hold credentials: always a secret. */
  declare readonly configOverrides: pulumi.Output<Readonly<Record<string, unknown>> | undefined>;
  /** What the program asks for in an outage; undefined where it does not say. */
  declare readonly whenUnavailable: pulumi.Output<"fail" | "useRecorded" | undefined>;
  /**
   * When the recorded settings were read, as an ISO 8601 date. It never shows as a change; it is unknown in a preview that
   * creates or updates the resource, so it is no good as an input.
   */
  declare readonly lastReadAt: pulumi.Output<string>;
  declare private readonly __lastReadAt: pulumi.Output<string>;

  /**
   * Adopts the settings with this id: reads them, without ever changing or deleting the record.
   * @param name of the resource in the stack
   * @param id `<projectId>/<agent>`
   * @param opts as for every resource; `provider` for an explicit {@link Provider}
   * @throws {@link DoorError} for an id that is not of that form
   * @example
   * ```ts
   * import { AgentLogConfig } from "pulumi-agent-log-config";
   *
   * const backup = AgentLogConfig.get("backup", "0123456789abcdef01234567/backup");
   * export const logPath = backup.logPath;
   * ```
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): AgentLogConfig {
    return new AgentLogConfig(name, undefined, { ...opts, id: checkId(id) });
  }

  /** Whether this is an AgentLogConfig, of whichever copy of the package. */
  static override isInstance(value: unknown): value is AgentLogConfig {
    // Policy packs ask with nothing but the type.
    return isObject(value) && value["__pulumiType"] === RESOURCE_TYPE;
  }

  /**
   * Reads the settings and records them.
   * @param name of the resource in the stack
   * @param args what to read, and what to expect of it
   * @param opts as for every resource; `provider` for an explicit {@link Provider}
   */
  constructor(name: string, args: AgentLogConfigArgs, opts?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: undefined, opts: pulumi.CustomResourceOptions);
  constructor(name: string, args: AgentLogConfigArgs | undefined, opts: pulumi.CustomResourceOptions = {}) {
    if (args === undefined && opts.id === undefined) {
      throw new DoorError(invalidArgument(`AgentLogConfig '${name}' has no arguments; give it projectId and agent.`));
    }
    // The inputs are needed before super(), but only after it is it known which provider the engine uses.
    const later = Promise.withResolvers<() => pulumi.Output<Reading>>();
    const inputs = args === undefined ? {} : recordedInputs(args, later.promise);
    super(
      RESOURCE_TYPE,
      name,
      { ...OUTPUTS, ...inputs, __provider: PROVIDER_TEXT },
      {
        ...opts,
        additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), "configOverrides"],
      },
    );
    if (args !== undefined) later.resolve(() => readWhenKnown(args, this, opts.dependsOn));
    this.lastReadAt = this.__lastReadAt;
    // The state says null for what the service does not have.
    this.logPath = this.logPath.apply((value) => value ?? undefined);
    this.logPathWindows = this.logPathWindows.apply((value) => value ?? undefined);
    this.logRotate = this.logRotate.apply((value) => value ?? undefined);
    this.username = this.username.apply((value) => value ?? undefined);
    this.configOverrides = this.configOverrides.apply((value) => value ?? undefined);
  }
}

/** What came of a read: the settings, or why there are none. */
interface Reading {
  readonly settings: RecordedSettings;
  readonly problem: Problem | null;
}

/** The properties that come from the engine alone. */
const OUTPUTS: pulumi.Inputs = Object.fromEntries(
  ["projectId", "agent", "whenUnavailable", "__lastReadAt", ...Object.keys(NO_SETTINGS)].map((key) => [key, undefined]),
);

/**
 * What is recorded are the settings themselves, as inputs: so the engine knows their values in the first preview and
 * compares them in every later one. A problem travels with them, to be reported against the resource.
 */
function recordedInputs(args: AgentLogConfigArgs, later: Promise<() => pulumi.Output<Reading>>): pulumi.Inputs {
  const reading = pulumi.output(later).apply((read) => read());
  return {
    projectId: args.projectId,
    agent: args.agent,
    whenUnavailable: args.whenUnavailable,
    logPath: reading.apply(({ settings }) => settings.logPath),
    logPathWindows: reading.apply(({ settings }) => settings.logPathWindows),
    logRotate: reading.apply(({ settings }) => settings.logRotate),
    username: reading.apply(({ settings }) => settings.username),
    configOverrides: pulumi.secret(reading.apply(({ settings }) => settings.configOverrides)),
    __problem: problemOf(reading, args.expect),
  };
}

function problemOf(
  reading: pulumi.Output<Reading>,
  expect: AgentLogConfigArgs["expect"],
): pulumi.Output<Problem | null> {
  if (expect === undefined) return reading.apply(({ problem }) => problem);
  const expected = pulumi.output(expect);
  // A problem of the read is known even where the expectation is not.
  return reading.apply(({ settings, problem }) =>
    problem !== null
      ? pulumi.output<Problem | null>(problem)
      : pulumi.all([expected, pulumi.isSecret(expected)]).apply(([plain, secret]): Problem | null => {
          const reasons = unmetExpectations(plain ?? {}, settings, secret);
          return reasons.length === 0 ? null : { reasons, outage: false };
        }),
  );
}

function readWhenKnown(args: AgentLogConfigArgs, self: AgentLogConfig, dependsOn: unknown): pulumi.Output<Reading> {
  const { expect: _, whenUnavailable, ...what } = args;
  try {
    const known = pulumi.output(what);
    return pulumi
      .all([
        known,
        connectionOf(self.getProvider(RESOURCE_TYPE)),
        pulumi.output<string | undefined>(whenUnavailable),
        waitForDependencies(dependsOn, what, self),
        pulumi.isSecret(known),
      ])
      .apply(([plain, connection, inOutage, hasWaited, secret]) =>
        read(connection(), plain, inOutage, { hasWaited, secret }),
      );
  } catch (error) {
    return pulumi.output(failed(error));
  }
}

/** Never rejects: what fails is to be reported against the resource. */
async function read(
  connection: ProviderConnection,
  args: ReadArguments,
  inOutage: string | undefined,
  circumstances: Circumstances,
): Promise<Reading> {
  try {
    if (inOutage !== undefined && inOutage !== "fail" && inOutage !== "useRecorded") {
      throw invalidArgument('whenUnavailable must be "fail" or "useRecorded", and is something else.');
    }
    return { settings: recordSettings(await readSettings(connection, args, circumstances)), problem: null };
  } catch (error) {
    // In a unit test there is no engine to report it: it is left unhandled, which fails the test.
    if (clientsAreReplaced()) void Promise.reject(new DoorError(error));
    return failed(error);
  }
}

function failed(error: unknown): Reading {
  const message = error instanceof Error ? error.message : String(error);
  const outage = error instanceof AgentLogConfigError && error.temporary;
  return { settings: NO_SETTINGS, problem: { reasons: [message], outage } };
}

function checkId(id: pulumi.Input<pulumi.ID>): pulumi.Input<pulumi.ID> {
  try {
    if (typeof id === "string") parseAgentLogConfigId(id);
    return id;
  } catch (error) {
    throw new DoorError(error);
  }
}
