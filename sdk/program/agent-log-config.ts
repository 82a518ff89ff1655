import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE, PLUGIN_TYPE, PROVIDER_TEXT } from "../engine/frozen-texts.ts";
import { type AgentLogSettings, type LogRotate, SECRET_SETTING, SETTING_NAMES } from "../model/agent-log-settings.ts";
import { invalidArgument } from "../model/errors.ts";
import { type AgentKind, parseAgentLogConfigId } from "../model/read-arguments.ts";
import { FAILURES, internalProperties } from "../record/resource-properties.ts";
import { omitPropertyStacks, runsWithMocks, typeOfResource } from "./private-sdk.ts";
import { programState } from "./program-state.ts";
import { resourceOptions } from "./resource-options.ts";
import { ResourceRead } from "./resource-read.ts";

/** The arguments of an {@link AgentLogConfig}. */
export interface AgentLogConfigArgs {
  /** The project's id, 24 hexadecimal digits. Changing it replaces the resource. */
  readonly projectId: pulumi.Input<string>;
  /** The agent whose settings to read, `"monitoring"` or `"backup"`. Changing it replaces the resource. */
  readonly agent: pulumi.Input<AgentKind>;
  /** The settings as they should be. A setting that differs fails the resource in previews and updates, or only causes a warning. */
  readonly expect?: pulumi.Input<ExpectedSettings> | undefined;
  /** Whether a setting that is not as expected fails the resource or causes a warning. Default: `"fail"`. */
  readonly whenUnexpected?: pulumi.Input<"fail" | "warn"> | undefined;
  /**
   * What to do in an outage, such as a failed connection, a time-out or status 503. `"fail"` fails the resource. `"useRecorded"`
   * keeps the settings in the state and causes a warning, in previews, updates and refreshes. An outage still fails a resource for
   * which no settings are recorded. Every other error fails the resource in any case. Default: `"fail"`.
   */
  readonly whenUnavailable?: pulumi.Input<"fail" | "useRecorded"> | undefined;
}

/**
 * Settings as they should be, at least one: a string, a number or a range of numbers, and a list of the settings that must
 * not be set. A setting that is left out may have any value. If an expected value is a secret, no message quotes it.
 */
export interface ExpectedSettings {
  /** The path of the log file. */
  readonly logPath?: pulumi.Input<string> | undefined;
  /** The path of the log file on Windows hosts. */
  readonly logPathWindows?: pulumi.Input<string> | undefined;
  /** Thresholds for the rotation of the log. */
  readonly logRotate?: pulumi.Input<ExpectedLogRotate> | undefined;
  /** The database user that manages the logs. */
  readonly username?: pulumi.Input<string> | undefined;
  /** The settings that must not be set, each by its path, such as "logPath" or "logRotate.numTotal". */
  readonly notSet?: pulumi.Input<readonly pulumi.Input<ExpectedPath>[]> | undefined;
}

/** Thresholds as they should be, each in the unit of {@link LogRotate}. */
export type ExpectedLogRotate = {
  readonly [Name in keyof LogRotate]?: pulumi.Input<number | ExpectedRange> | undefined;
};

/** The bounds of a number, in the unit of the threshold. An omitted bound sets no limit. */
export interface ExpectedRange {
  /** The smallest accepted value. */
  readonly atLeast?: pulumi.Input<number> | undefined;
  /** The largest accepted value. */
  readonly atMost?: pulumi.Input<number> | undefined;
}

/** A setting that can be expected, with its path. */
export type ExpectedPath = Exclude<keyof ExpectedSettings, "notSet"> | `logRotate.${keyof LogRotate}`;

/**
 * The log settings of one agent of one project, recorded in the state, so that the next preview or refresh shows property
 * by property what somebody has changed in the service. The service is only read: to create, update or delete this resource
 * changes only the record. Deleting it needs neither the service nor a key.
 *
 * The program reads as soon as the arguments are known and everything in `dependsOn` exists. If the read fails, this resource
 * fails. In an update it fails at once. In a preview it fails at the end, so that everything else is compared.
 *
 * @example
 * ```ts
 * import { AgentLogConfig } from "pulumi-agent-log-config";
 *
 * const monitoring = new AgentLogConfig("monitoring", { projectId: "0123456789abcdef01234567", agent: "monitoring" });
 * export const logPath = monitoring.logPath;
 * ```
 */
export class AgentLogConfig extends pulumi.CustomResource {
  /** The project's id, 24 hexadecimal digits. */
  declare readonly projectId: pulumi.Output<string>;
  /** The agent that the settings belong to. */
  declare readonly agent: pulumi.Output<AgentKind>;
  /** Absolute path of the agent's log file; undefined if it is not set. Without a path the agent writes to standard error. */
  declare readonly logPath: pulumi.Output<AgentLogSettings["logPath"]>;
  /** Path of the agent's log file on Windows hosts, usually with `%SystemDrive%`; undefined if it is not set. */
  declare readonly logPathWindows: pulumi.Output<AgentLogSettings["logPathWindows"]>;
  /** Thresholds for the rotation of the agent's log; without members if none is set. */
  declare readonly logRotate: pulumi.Output<AgentLogSettings["logRotate"]>;
  /** Database user that manages the agent's logs, or an X.509 subject; undefined if it is not set. */
  declare readonly username: pulumi.Output<AgentLogSettings["username"]>;
  /**
   * Settings that differ from those of the agent itself; without members if there are none. They may contain credentials, so they are
   * always a secret.
   */
  declare readonly configOverrides: pulumi.Output<AgentLogSettings["configOverrides"]>;
  /** What happens in an outage, `"fail"` or `"useRecorded"`, as in the arguments. */
  declare readonly whenUnavailable: pulumi.Output<"fail" | "useRecorded">;
  /** @internal Why it fails, as a text, in a preview alone. */
  declare readonly [FAILURES]: pulumi.Output<unknown>;

  /**
   * Reads the settings with this id, which the stack does not manage: it never changes or deletes a record.
   * @param name the resource's name
   * @param id `<projectId>/<agent>`
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` for an id that does not have that form
   * @example
   * ```ts
   * import { AgentLogConfig } from "pulumi-agent-log-config";
   *
   * const backup = AgentLogConfig.get("backup", "0123456789abcdef01234567/backup");
   * export const logPath = backup.logPath;
   * ```
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts: pulumi.CustomResourceOptions = {}): AgentLogConfig {
    if (typeof id === "string") parseAgentLogConfigId(id);
    return new AgentLogConfig(name, undefined, { ...opts, id });
  }

  /**
   * Returns whether a value is an AgentLogConfig, of any installed copy of the package or of the plugin. Policy packs call it for
   * the resources of programs in every language.
   */
  static override isInstance(value: unknown): value is AgentLogConfig {
    const type = typeOfResource(value);
    return type === AGENT_LOG_CONFIG_TYPE || type === PLUGIN_TYPE;
  }

  /**
   * Reads the settings and records them.
   * @param name the resource's name
   * @param args the agent whose settings to read, and what to expect of the settings
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   */
  constructor(name: string, args: AgentLogConfigArgs, opts?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: AgentLogConfigArgs | undefined, opts: pulumi.CustomResourceOptions);
  constructor(name: string, args: AgentLogConfigArgs | undefined, opts: pulumi.CustomResourceOptions = {}) {
    if (args === undefined && opts.id === undefined) {
      throw invalidArgument(`AgentLogConfig '${name}' has no arguments; pass projectId and agent.`);
    }
    const secrets = [SECRET_SETTING, ...(opts.additionalSecretOutputs ?? [])];
    // With mocks nothing is read: the outputs are the state that they return, as with every resource.
    const read = args === undefined || runsWithMocks() ? undefined : new ResourceRead({ name, args, opts, secrets });
    const inputs = { ...OUTPUTS, ...(read?.inputs ?? args), ...internalProperties({ provider: PROVIDER_TEXT }) };
    const options = resourceOptions(AGENT_LOG_CONFIG_TYPE, name, opts, secrets);
    const restoreStacks = omitPropertyStacks();
    try {
      super(AGENT_LOG_CONFIG_TYPE, name, inputs, options);
    } finally {
      restoreStacks();
    }
    read?.start(this);
    if (read !== undefined) programState().report.watch(this, name, this[FAILURES]);
    for (const name of ["logPath", "logPathWindows", "username"] as const) makeEmptyUndefined(this, name);
  }
}

/** The properties that only the engine provides. */
const OUTPUTS: pulumi.Inputs = Object.fromEntries(
  ["projectId", "agent", "whenUnavailable", FAILURES, ...SETTING_NAMES].map((key) => [key, undefined]),
);

/** Makes an empty text undefined, so that a program can't pass it on for a path or a name unawares. */
function makeEmptyUndefined(self: AgentLogConfig, name: "logPath" | "logPathWindows" | "username"): void {
  const recordedOutput = self[name];
  let output: typeof recordedOutput | undefined;
  // Most settings are not used, and each Output costs about 20 promises.
  const get = () => {
    output ??= recordedOutput.apply((value) => value || undefined);
    return output;
  };
  Object.defineProperty(self, name, { get, enumerable: true, configurable: true });
}
