import { isDeepStrictEqual } from "node:util";
import pluginMessages from "@pulumi/pulumi/proto/plugin_pb.js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerMessages, { type DiffResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import emptyMessages from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { SECRET_SETTINGS, SETTING_NAMES } from "../client/agent-log-settings.ts";
import { CONNECTION_SETTINGS } from "../client/connection-options.ts";
import { printable } from "../digest/printable.ts";
import type { Properties } from "../provider/resource-lifecycle.ts";
import * as lifecycle from "../provider/resource-lifecycle.ts";
import { adviseCheck } from "../shared/advise-check.ts";
import {
  CONFIGURATION_NAMESPACE,
  configurationWarnings,
  lookUpConnection,
  providerArguments,
  type SettingsSource,
  stackConfiguration,
} from "../shared/connection-settings.ts";
import type { Failure } from "../shared/describe-failures.ts";
import { describeOutage, type ToldOutages } from "../shared/describe-failures.ts";
import { UNKNOWN, UNKNOWN_OUTPUT } from "../shared/engine-marks.ts";
import { type ReadGates, readSettings } from "../shared/read-settings.ts";
import { problemOf } from "../shared/reading.ts";
import { PLUGIN_TYPE } from "../shared/resource-type.ts";
import { callFunction, type ReadForCall } from "./call-function.ts";
import { cancellableCalls } from "./cancellable-calls.ts";
import type { FleetHost, ReadAhead } from "./construct-fleet.ts";
import type { EngineLog } from "./engine-log.ts";
import { HeldCalls, nameOf } from "./held-calls.ts";
import { markedNames, seal, secretExpectations, withMarks, withoutMarks } from "./property-marks.ts";
import { ResourceMonitor } from "./resource-monitor.ts";
import { propertiesOf, structOf } from "./structs.ts";

/** What the plugin says of itself. */
export interface PluginDescription {
  readonly version: string;
  /** The schema of the package as JSON. */
  readonly schema: string;
}

/**
 * Returns the calls by which the engine asks for resources and functions. What a resource does is decided in
 * `../provider/resource-lifecycle.ts`; here its properties are taken out of the engine's messages and put back. A call that
 * is not handled is a feature that the plugin does not have.
 */
export function resourceProvider({ version, schema }: PluginDescription, log: EngineLog) {
  let sources: readonly SettingsSource[] = [];
  let stack: string | undefined;
  const newRun = (): Run => ({
    failures: new HeldCalls((urn, message) => log.show("ERROR", urn, message)),
    gates: new Map(),
    toldOutages: new Map(),
    recording: new Set(),
  });
  let run = newRun();
  const readFor = ({ gates }: Pick<Run, "gates">): ReadForCall => {
    const connection = lookUpConnection(...sources);
    return (asked) =>
      readSettings(connection, asked, gates).catch((error) => adviseCheck(error, connection, asked, stack));
  };
  /** What Check has found of each resource that the later calls for it need. */
  const checks = new Map<string, lifecycle.CheckResult>();
  const warn = (urn: string, message: string) => log.show("WARNING", urn, message);
  /** What fleets have read for their children, by URN. */
  const readsAhead = new Map<string, ReadAhead>();
  const engineOf = (urn: string, { gates, toldOutages }: Run): lifecycle.Engine => ({
    sources,
    gates,
    warn: (message) => warn(urn, message),
    toldOutages,
    read: (args) => {
      const ahead = readsAhead.get(urn);
      return ahead && ahead.projectId === args["projectId"] && ahead.agent === args["agent"]
        ? ahead.read
        : readFor({ gates })(args);
    },
  });
  const { cancellable, cancelCalls } = cancellableCalls(log);
  const call = <Request, Response>(answer: (request: Request, current: Run) => Response | Promise<Response>) =>
    cancellable((request: Request) => {
      const current = run;
      return current.failures.during(() => answer(request, current));
    });

  /**
   * Returns the inputs of a resource that is created or updated, unless it fails. A preview can go on, with unknown settings
   * for what depends on the resource.
   */
  async function settledInputs(
    request: { getUrn(): string; getPreview(): boolean },
    inputs: Struct | undefined,
    { failures }: Run,
  ): Promise<Properties> {
    const found = checks.get(request.getUrn())?.failures ?? [];
    if (found.length === 0) return propertiesOf(inputs);
    const why = joinFailures(found);
    if (!request.getPreview()) return failures.hold(request.getUrn(), why);
    await failures.holdOne(request.getUrn(), why);
    return { ...propertiesOf(inputs), ...Object.fromEntries(SETTING_NAMES.map((name) => [name, UNKNOWN])) };
  }

  return {
    getPluginInfo: call(() => new pluginMessages.PluginInfo().setVersion(version)),

    getSchema: call(() => new providerMessages.GetSchemaResponse().setSchema(schema)),

    checkConfig: call((request) => {
      const news = propertiesOf(request.getNews());
      if (isDefaultProvider(request.getUrn())) {
        const names = Object.keys(news).filter((name) => !ENGINE_SETTINGS.has(name));
        const configured = Object.fromEntries(names.map((name) => [`${CONFIGURATION_NAMESPACE}:${name}`, news[name]]));
        // The engine sends a key that the stack keeps as a secret without a mark, too.
        for (const warning of configurationWarnings(configured, () => true)) warn(request.getUrn(), warning);
      }
      const sealed = Object.entries(news).map(([name, value]) => [name, isSecretSetting(name) ? seal(value) : value]);
      return new providerMessages.CheckResponse().setInputs(structOf(Object.fromEntries(sealed)));
    }),

    diffConfig: call((request) => {
      const [olds, news] = [propertiesOf(request.getOldInputs() ?? request.getOlds()), propertiesOf(request.getNews())];
      const isSame = isDeepStrictEqual(withoutMarks(olds), withoutMarks(news));
      return new providerMessages.DiffResponse().setChanges(isSame ? CHANGES.DIFF_NONE : CHANGES.DIFF_SOME);
    }),

    configure: call((request) => {
      const given = withoutMarks(propertiesOf(request.getArgs()));
      const urn = request.getUrn() ?? "";
      run = newRun();
      [, stack] = /^urn:pulumi:([\w.-]+)::/.exec(urn) ?? [];
      // Only the default provider gets the stack's settings as arguments.
      sources = isDefaultProvider(urn)
        ? [configurationIn(given)]
        : [providerArguments(nameOf(urn), given), configurationIn(configured)];
      return new providerMessages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: call(async (request, current) => {
      const stranger = refusalOf(request.getUrn());
      if (stranger !== undefined) return new providerMessages.CheckResponse().setFailuresList([checkFailure(stranger)]);
      // No program reads for the plugin, so that a reading is a forged one.
      const { __reading: _, ...sent } = propertiesOf(request.getNews());
      const olds = withoutMarks(propertiesOf(request.getOlds()));
      const secrets = [...SECRET_SETTINGS, ...markedNames(sent), ...secretExpectations(sent["expect"])];
      const checked = await lifecycle.check(engineOf(request.getUrn(), current), olds, withoutMarks(sent), secrets);
      checks.set(request.getUrn(), checked);
      if (checked.failures.length > 0) current.failures.show(request.getUrn(), joinFailures(checked.failures));
      const response = new providerMessages.CheckResponse().setInputs(structOf(withMarks(checked.inputs, sent)));
      return response.setFailuresList(checked.malformed.map(checkFailure));
    }),

    diff: call((request, { toldOutages }) => {
      const olds = propertiesOf(request.getOldInputs() ?? request.getOlds());
      const { __unchangedSince: unchangedSince, ...recorded } = propertiesOf(request.getOlds());
      const { outage, ...checked } = checks.get(request.getUrn()) ?? NOT_CHECKED;
      checks.set(request.getUrn(), checked);
      if (outage !== undefined) {
        const { message: reason, cause } = outage;
        warn(request.getUrn(), describeOutage(request.getId(), { unchangedSince, reason, cause }, toldOutages));
      }
      const news = propertiesOf(request.getNews());
      const { changes, replaces = [] } = lifecycle.diff(withoutMarks(olds), withoutMarks(news));
      const response = new providerMessages.DiffResponse().setReplacesList(replaces);
      if (changes !== false) {
        return news["__service"] === olds["__service"]
          ? response.setChanges(CHANGES.DIFF_UNKNOWN)
          : nameChanges(response, olds, news);
      }
      // A program in TypeScript has recorded the time under the internal name alone.
      const isToUpdate = checked.failures.length > 0 || !("unchangedSince" in recorded);
      return response.setChanges(isToUpdate ? CHANGES.DIFF_SOME : CHANGES.DIFF_NONE);
    }),

    create: call(async (request, current) => {
      const inputs = await settledInputs(request, request.getProperties(), current);
      const response = new providerMessages.CreateResponse().setProperties(outputsOf(inputs, {}, request.getPreview()));
      // As with every resource, an id is unknown until there is a record.
      return response.setId(request.getPreview() ? "" : lifecycle.idOf(withoutMarks(inputs)));
    }),

    update: call(async (request, current) => {
      const [olds, news] = [propertiesOf(request.getOlds()), await settledInputs(request, request.getNews(), current)];
      return new providerMessages.UpdateResponse().setProperties(outputsOf(news, olds, request.getPreview()));
    }),

    read: call(async (request, current) => {
      const stranger = refusalOf(request.getUrn());
      if (stranger !== undefined) throw new Error(stranger);
      const sent = propertiesOf(request.getProperties());
      const engine = engineOf(request.getUrn(), current);
      const recorded = withoutMarks(sent);
      const isMade = Object.keys(propertiesOf(request.getInputs())).length > 0;
      const kind = recorded["projectId"] === undefined ? "new" : isMade ? "made" : "adopted";
      const response = new providerMessages.ReadResponse();
      try {
        const { id, inputs, outputs } = await lifecycle.readRecord(engine, request.getId(), recorded, kind);
        if (id === undefined) return response;
        response.setId(id).setInputs(inputs === undefined ? request.getInputs() : structOf(withMarks(inputs, sent)));
        // The engine compares the outputs of what a program only adopts, which are read anew in every run.
        const isAdopted = kind === "adopted" || (kind === "new" && request.hasInputs());
        const found = isAdopted ? { ...outputs, __unchangedSince: null } : outputs;
        return response.setProperties(structOf(withReadTime(withMarks(found, sent))));
      } catch (error) {
        const { cause } = problemOf(error instanceof Error ? error.cause : error);
        const why = { sentence: problemOf(error).message, cause };
        if (kind !== "made") return await current.failures.hold(request.getUrn(), why);
        await current.failures.holdOne(request.getUrn(), why);
        return response.setId(request.getId()).setInputs(request.getInputs()).setProperties(request.getProperties());
      }
    }),

    delete: call(() => new emptyMessages.Empty()),

    construct: cancellable(
      async (request) => {
        const { failures, gates, recording } = run;
        const monitor = new ResourceMonitor(request);
        try {
          // It needs zod, which takes as long to load as all the rest of the plugin.
          const { constructFleet } = await import("./construct-fleet.ts");
          const { urn, configs } = await constructFleet(request.getName(), propertiesOf(request.getInputs()), monitor, {
            read: readFor({ gates }),
            readsAhead,
            recording,
            failures,
          });
          return new providerMessages.ConstructResponse().setUrn(urn).setState(structOf({ configs }));
        } finally {
          monitor.close();
        }
      },
      // A component can't fail without a message, and one whose children fail has nothing to say.
      new providerMessages.ConstructResponse().setState(structOf({ configs: UNKNOWN_OUTPUT })),
    ),

    invoke: call(async (request, current) => {
      const sent = withoutMarks(propertiesOf(request.getArgs()));
      const result = await callFunction(request.getTok(), sent, readFor(current));
      return new providerMessages.InvokeResponse().setReturn(structOf(result));
    }),

    cancel: (_, respond) => {
      run.failures.report();
      // The calls that were held end first, with their own reasons.
      setImmediate(async () => {
        await cancelCalls();
        respond(null, new emptyMessages.Empty());
      });
    },

    attach: call((request) => {
      log.attach(request.getAddress());
      return new emptyMessages.Empty();
    }),
  } satisfies Partial<IResourceProviderServer>;
}

/** What is remembered for one run of the engine, which configures an attached process anew for each. */
interface Run {
  readonly failures: HeldCalls;
  readonly gates: ReadGates;
  readonly toldOutages: ToldOutages;
  readonly recording: FleetHost["recording"];
}

/** Returns why a resource can't be read or recorded, because it has a type that the plugin has no records of. */
function refusalOf(urn: string): string | undefined {
  const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
  if (type === PLUGIN_TYPE) return undefined;
  return `The plugin agent-log-config has no record of the type ${printable(type, 80)}; use ${PLUGIN_TYPE}.`;
}

/** What a resource has that a refresh compares without a program. */
const NOT_CHECKED: lifecycle.CheckResult = { inputs: {}, malformed: [], failures: [] };

const CHANGES = providerMessages.DiffResponse.DiffChanges;

/** Names the properties that differ, because the engine would show internal ones too, here that another service was read. */
function nameChanges(response: DiffResponse, olds: Properties, news: Properties): DiffResponse {
  const { PropertyDiff } = providerMessages;
  const { ADD, DELETE, UPDATE } = PropertyDiff.Kind;
  for (const name of Object.keys({ ...olds, ...news }).filter((key) => !key.startsWith("__"))) {
    const [old, fresh] = [olds[name] ?? null, news[name] ?? null];
    if (isDeepStrictEqual(old, fresh)) continue;
    const kind = old === null ? ADD : fresh === null ? DELETE : UPDATE;
    response.getDetaileddiffMap().set(name, new PropertyDiff().setKind(kind).setInputdiff(true));
  }
  return response.setChanges(CHANGES.DIFF_SOME).setHasdetaileddiff(true);
}

/** What the engine itself keeps beside the configuration of a provider. */
const ENGINE_SETTINGS: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "__internal"]);

/** The stack's settings of this plugin, which the engine gives to explicit providers too; names without the namespace. */
const configured: Readonly<Record<string, unknown>> = JSON.parse(process.env["PULUMI_CONFIG"] || "{}");

/** @param values by the names of the settings, without the namespace */
function configurationIn(values: Properties): SettingsSource {
  return stackConfiguration((key) => {
    const value = values[key.replace(/^.*:/, "")];
    return value == null ? undefined : String(value);
  });
}

/** All reasons of one resource as one. */
function joinFailures(failures: readonly Failure[]): Failure {
  const [sentences, causes] = [failures.map(({ sentence }) => sentence), failures.map(({ cause }) => cause)];
  return { sentence: sentences.join("\n"), cause: causes.join("\n") };
}

function isSecretSetting(name: string): boolean {
  return Reflect.get(CONNECTION_SETTINGS, name) === "secret";
}

/** The default provider has the configuration of the stack, and other providers have their arguments. */
function isDefaultProvider(urn: string): boolean {
  return /::default(_\w+)?$/.test(urn);
}

function outputsOf(inputs: Properties, olds: Properties, preview: boolean): Struct {
  const recorded = lifecycle.outputsOf(withoutMarks(inputs), withoutMarks(olds));
  const unchangedSince = recorded["__unchangedSince"];
  // The settings are read again in the update that follows.
  const isUnknown = preview && unchangedSince !== olds["__unchangedSince"];
  const outputs = { ...recorded, __unchangedSince: isUnknown ? UNKNOWN : unchangedSince };
  return structOf(withReadTime(withMarks(outputs, inputs)));
}

/** Repeats the time of the read under a name that every language can use. */
function withReadTime(outputs: Properties): Properties {
  return { ...outputs, unchangedSince: outputs["__unchangedSince"] ?? null };
}

function checkFailure(reason: string): InstanceType<typeof providerMessages.CheckFailure> {
  // The engine would print the value of a property that is named.
  return new providerMessages.CheckFailure().setReason(reason);
}
