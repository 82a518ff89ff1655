import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIGS_TYPE, CONFIGS, PLUGIN_FLEET_TYPE, PROVIDER_TEXT } from "../engine/frozen-texts.ts";
import { type AgentLogConfigResult, SECRET_SETTING } from "../model/agent-log-settings.ts";
import { invalidArgument } from "../model/errors.ts";
import type { AgentKind } from "../model/read-arguments.ts";
import { originText } from "../record/program-origin.ts";
import { secretNamesBehind } from "../record/resource-arguments.ts";
import { FAILURES, internalProperties } from "../record/resource-properties.ts";
import { isPlainObject } from "../text/json.ts";
import { printable } from "../text/printable.ts";
import type { AgentLogConfigArgs } from "./agent-log-config.ts";
import { isEventual } from "./is-eventual.ts";
import { runsWithMocks, typeOfResource } from "./private-sdk.ts";
import { whereItFails } from "./program-report.ts";
import { programState } from "./program-state.ts";
import { connectionOf, providerOf } from "./provider.ts";
import { namesOfSecrets, resourceOptions, secretInputs } from "./resource-options.ts";
import { dependenciesIn, waitForDependencies } from "./wait-for-resources.ts";

/** The arguments of {@link AgentLogConfigs}. */
export interface AgentLogConfigsArgs extends Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable"> {
  /**
   * A map from names of your own to the ids of the projects, 24 hexadecimal digits each. A name becomes a part of the keys of the
   * outputs. It begins with a letter or a digit, and has at most 80 printable characters. Two names may have the same project.
   */
  readonly projects: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>>;
  /** The agents of each project. Default: `"monitoring"` and `"backup"`. */
  readonly agents?: pulumi.Input<readonly pulumi.Input<AgentKind>[]> | undefined;
}

/** The settings of one agent of one project as they are recorded, without those that are secrets. */
export interface FleetSettings extends Omit<AgentLogConfigResult, "configOverrides" | "serviceVersion"> {
  /** The name that the program gives the project. */
  readonly name: string;
}

/**
 * The log settings of many projects as one resource with one record. Its provider reads all of them at the same time, in each preview and
 * update. Each agent of each project is judged by itself, and an update records all of them or none.
 *
 * To record each project as a resource of its own, make an {@link AgentLogConfig} for each in a loop.
 *
 * @example
 * ```ts
 * import { AgentLogConfigs } from "pulumi-agent-log-config";
 *
 * const fleet = new AgentLogConfigs("fleet", {
 *   projects: { orders: "0123456789abcdef01234567", billing: "89abcdef0123456789abcdef" },
 *   agents: ["monitoring"],
 *   expect: { logRotate: { sizeThresholdMB: { atMost: 1000 } } },
 *   whenUnavailable: "useRecorded",
 * });
 * export const ordersLog = fleet.configs["orders/monitoring"]?.logPath;
 * ```
 */
export class AgentLogConfigs extends pulumi.CustomResource {
  /**
   * The recorded settings of each agent of each project. The keys are `<project>/<agent>`, where `<project>` is the name that the
   * program gives the project. In a preview, all of them are unknown as long as one of them is.
   */
  declare readonly configs: pulumi.Output<Readonly<Record<string, FleetSettings>>>;
  /**
   * The overrides of each agent of each project, by the keys of `configs`. They may contain credentials, so they are always a secret.
   */
  declare readonly configOverrides: pulumi.Output<Readonly<Record<string, AgentLogConfigResult["configOverrides"]>>>;
  /** @internal Why it fails, as a text, in a preview alone. */
  declare readonly [FAILURES]: pulumi.Output<unknown>;

  /**
   * Returns whether a value is an AgentLogConfigs, of any installed copy of the package or of the plugin. Policy packs call it for
   * the resources of programs in every language.
   */
  static override isInstance(value: unknown): value is AgentLogConfigs {
    const type = typeOfResource(value);
    return type === AGENT_LOG_CONFIGS_TYPE || type === PLUGIN_FLEET_TYPE;
  }

  /**
   * Registers the fleet. Its provider reads the settings and records them.
   * @param name the resource's name
   * @param args the projects and agents whose settings to read, and what to expect of the settings
   * @param opts the resource options; `provider` for an explicit {@link Provider}
   * @throws {@link AgentLogConfigError} `ERR_INVALID_ARG_VALUE` with the option `id` or `import`
   */
  constructor(name: string, args: AgentLogConfigsArgs, opts: pulumi.CustomResourceOptions = {}) {
    if (opts.id !== undefined || opts.import !== undefined) {
      const subject = `AgentLogConfigs '${printable(name, 80)}'`;
      throw invalidArgument(
        `${subject} can't be imported or read by an id; leave out the option, because it only reads.`,
      );
    }
    const secrets = [SECRET_SETTING, ...(opts.additionalSecretOutputs ?? [])];
    // With mocks nothing is read: the outputs are the state that they return, as with every resource.
    const announcement = runsWithMocks() ? undefined : new FleetAnnouncement({ name, args, opts, secrets });
    const inputs = {
      ...OUTPUTS,
      ...(announcement?.inputs ?? args),
      ...internalProperties({ provider: PROVIDER_TEXT }),
    };
    const options = resourceOptions(AGENT_LOG_CONFIGS_TYPE, name, opts, secrets);
    super(AGENT_LOG_CONFIGS_TYPE, name, inputs, options);
    announcement?.complete(this);
    if (announcement !== undefined) programState().report.watch(this, name, this[FAILURES]);
    this.configs = this.configs.apply(withoutEmptyTexts);
  }
}

/** The properties that only the engine provides. */
const OUTPUTS: pulumi.Inputs = { [CONFIGS]: undefined, [SECRET_SETTING]: undefined, [FAILURES]: undefined };

/** A fleet that a provider is to read. */
interface Fleet {
  readonly name: string;
  /** Those of an AgentLogConfigs. */
  readonly args: { readonly projects: unknown; readonly agents?: unknown };
  readonly opts: pulumi.CustomResourceOptions;
  /** The outputs that are secrets. */
  readonly secrets: readonly string[];
}

/** What a program tells the provider, which reads its fleet. */
class FleetAnnouncement {
  /** They resolve once it is complete. */
  readonly inputs: pulumi.Inputs;
  readonly #fleet: Fleet;
  readonly #origin = Promise.withResolvers<pulumi.Output<string>>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    const internal = internalProperties({ origin: pulumi.output(this.#origin.promise), failsIn: whereItFails() });
    this.inputs = { ...secretInputs(withOwnWaits(fleet.args), fleet.secrets), ...internal };
  }

  /**
   * Says what the provider can't know. In a preview that is unknown as long as the fleet waits for something that is still to be created,
   * so that nothing is read.
   * @param resource knows its provider only after its constructor has taken the inputs
   */
  complete(resource: pulumi.CustomResource): void {
    const { name, args, opts, secrets } = this.#fleet;
    const connection = connectionOf(providerOf(resource), `${AGENT_LOG_CONFIGS_TYPE} ${name}`);
    const { projects, agents } = args;
    const readArguments = isEventual(projects) ? { projects, agents } : { agents };
    const dependencies = waitForDependencies(dependenciesIn(opts), readArguments, resource);
    const origin = pulumi
      .all([namesOfSecrets(args), connection?.waitsForResources, dependencies])
      .apply(([names]) => originText({ name, secrets: [...secrets, ...secretNamesBehind(names)], ignoreChanges: [] }));
    this.#origin.resolve(origin);
  }
}

/** Lets each id wait for what it depends on, so that a project that is still to be created does not hide the others in a preview. */
function withOwnWaits({ projects, ...others }: Fleet["args"]): pulumi.Inputs {
  // A fleet is known by its projects, so they are there even if the program has left them out.
  if (isEventual(projects) || !isPlainObject(projects)) return { ...others, projects: projects ?? null };
  const entries = Object.entries(projects).map(([name, id]) => {
    // The SDK leaves out what is undefined, such as an output that another stack does not have.
    if (!isEventual(id)) return [name, id ?? null];
    return [name, pulumi.all([id, waitForDependencies([], { id })]).apply(([projectId]) => projectId ?? null)];
  });
  return { ...others, projects: Object.fromEntries(entries) };
}

type Configs = Readonly<Record<string, FleetSettings>>;

/** Makes empty texts undefined, so that a program can't pass one on for a path or a name unawares. Mocks may return nothing. */
function withoutEmptyTexts(configs: Configs | undefined): Configs {
  const entries = Object.entries(configs ?? {}).map(([key, config]) => {
    const { logPath, logPathWindows, username } = config;
    const texts = { logPath: logPath || undefined, logPathWindows: logPathWindows || undefined };
    return [key, { ...config, ...texts, username: username || undefined }] as const;
  });
  return Object.fromEntries(entries);
}
