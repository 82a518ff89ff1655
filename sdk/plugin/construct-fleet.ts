import { credentials, type ServiceError } from "@grpc/grpc-js";
import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import resourceService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import messages, { type RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb.js";
import { engineChannel } from "../engine/engine-log.ts";
import { isUnknown, seal, UNKNOWN, UNKNOWN_OUTPUT } from "../engine/engine-marks.ts";
import { AGENT_LOG_CONFIG_TYPE, PLUGIN_TYPE } from "../engine/frozen-texts.ts";
import { idOf } from "../model/read-arguments.ts";
import { type FleetChild, fleetChildren } from "../record/fleet-children.ts";
import { asRecord, type Properties, UNREAD } from "../record/resource-record.ts";
import { publicSettings } from "./call-function.ts";
import { childUrn, propertiesOf, sealedNames, structOf, withoutSeals } from "./engine-messages.ts";
import type { PluginRun } from "./plugin-run.ts";

/** Registers a child for each agent of each project, which the engine then checks and records as any AgentLogConfig. */
export async function constructFleet(request: ConstructRequest, monitor: ResourceMonitor, run: PluginRun) {
  const [name, urn] = [request.getName(), await monitor.registerComponent()];
  const inputs = Object.entries(propertiesOf(request.getInputs())).filter(([, value]) => value !== null);
  const { projects, agents, ...rules } = Object.fromEntries(inputs);
  const lists = withoutSeals({ projects, agents });
  const isSecret = sealedNames({ projects, agents }).length > 0;

  const isKnown = !Object.values(lists).flat().some(isUnknown);
  const areListsKnown = !Object.values(lists).some(isUnknown);
  const children = areListsKnown ? fleetChildren(name, { ...rules, ...lists }, isSecret) : [];
  const fleet = { urn, rules, isSecret };
  const registrations = children.map((child) => readAndRegister(fleet, child, monitor, run));
  // If one child fails, an engine that goes on after failures still records the others.
  await Promise.allSettled(registrations);
  const settings = Object.fromEntries((await Promise.all(registrations)).filter(([, child]) => child !== undefined));

  const output = isSecret ? seal(settings) : settings;
  // An update has no marks of unknown values, so a child that it does not register is left out.
  const configs = isKnown || !monitor.isPreview ? output : UNKNOWN_OUTPUT;
  await monitor.registerOutputs(urn, { configs });
  return { urn, configs };
}

interface RegisteredFleet {
  readonly urn: string;
  readonly rules: Properties;
  /** The lists have secrets, so the ids of the children and the output are sealed. Names of children and messages show ids. */
  readonly isSecret: boolean;
}

/** Returns the key of a child and the settings that it records; these are undefined if an update has not registered it. */
async function readAndRegister(
  { urn, rules, isSecret }: RegisteredFleet,
  { key, childName, name, ...readArguments }: FleetChild,
  monitor: ResourceMonitor,
  run: PluginRun,
): Promise<[key: string, settings: Properties | undefined]> {
  const { projectId } = readArguments;
  // The engine checks one child after the other, so all of them are read before, at the same time.
  await run.readAhead(childUrn(urn, PLUGIN_TYPE, childName), readArguments);
  const inputs = { ...rules, ...readArguments, projectId: isSecret ? seal(projectId) : projectId };
  const outputs = await monitor.registerChild(urn, childName, inputs);
  const isKnown = outputs !== undefined && !isUnknown(projectId);
  if (!isKnown && !monitor.isPreview) return [key, undefined];
  const id = isUnknown(projectId) ? UNKNOWN : idOf(readArguments);
  const { settings } = outputs === undefined ? UNREAD : asRecord(withoutSeals(outputs));
  return [key, { name, ...publicSettings({ ...settings, ...readArguments, id }) }];
}

/** Registers a component and its children with the engine that asks for it. */
export class ResourceMonitor {
  readonly #request: ConstructRequest;
  readonly #client: InstanceType<typeof resourceService.ResourceMonitorClient>;

  constructor(request: ConstructRequest) {
    this.#request = request;
    this.#client = new resourceService.ResourceMonitorClient(
      request.getMonitorendpoint(),
      ...engineChannel({ credentials }),
    );
  }

  get isPreview(): boolean {
    return this.#request.getDryrun();
  }

  /** Registers the component with the options that the program gave it; its children inherit some of them. */
  async registerComponent(): Promise<string> {
    const construction = this.#request;
    const request = this.#newRequest(construction.getType(), construction.getName(), {}).setParent(
      construction.getParent(),
    );
    request.setAliasesList(construction.getAliasesList()).setAliasspecs(true);
    request.setAdditionalsecretoutputsList(construction.getAdditionalsecretoutputsList());
    request.setDeletedwith(construction.getDeletedwith()).setReplaceWithList(construction.getReplaceWithList());
    if (construction.hasProtect()) request.setProtect(construction.getProtect() === true);
    if (construction.hasRetainondelete()) request.setRetainondelete(construction.getRetainondelete() === true);
    for (const [name, reference] of construction.getProvidersMap().entries())
      request.getProvidersMap().set(name, reference);
    return (await this.#register(request)).getUrn();
  }

  /**
   * Registers a child, which depends on all that the arguments of the component depend on.
   * @returns its outputs; undefined if it has none, because it is not a target of the run or fails in a preview
   * @throws Error if the child has failed in an update and the engine goes on all the same
   */
  async registerChild(parent: string, name: string, inputs: Properties): Promise<Properties | undefined> {
    const request = this.#newRequest(PLUGIN_TYPE, name, inputs).setParent(parent).setCustom(true);
    request.setAliasesList([PROGRAM_ALIAS]).setAliasspecs(true);
    request.setIgnorechangesList(this.#request.getIgnorechangesList());
    // Without a version, the engine takes the process that constructs the component.
    request.setProvider(this.#request.getProvidersMap().get("agent-log-config") ?? "");
    const response = await this.#register(request);
    const hasFailed = response.getResult() !== messages.Result.SUCCESS;
    // If a child fails in a preview, the preview ends and says why.
    if (hasFailed && !this.isPreview) throw new Error(`Its child '${name}' has failed.`);
    return hasFailed || response.getUnknown() ? undefined : propertiesOf(response.getObject());
  }

  /** Ends the registration of the component. */
  async registerOutputs(urn: string, outputs: Properties): Promise<void> {
    const request = new messages.RegisterResourceOutputsRequest().setUrn(urn).setOutputs(structOf(outputs));
    await new Promise<void>((resolve, reject) => {
      this.#client.registerResourceOutputs(request, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#client.close();
  }

  #newRequest(type: string, name: string, inputs: Properties) {
    const construction = this.#request;
    const dependencies = new Set(construction.getDependenciesList());
    for (const [, urns] of construction.getInputdependenciesMap().entries()) {
      for (const urn of urns.getUrnsList()) dependencies.add(urn);
    }
    const request = new messages.RegisterResourceRequest().setType(type).setName(name).setObject(structOf(inputs));
    request.setDependenciesList([...dependencies]).setParentstacktracehandle(construction.getStackTraceHandle());
    return request.setAcceptsecrets(true).setSupportspartialvalues(true).setSupportsresultreporting(true);
  }

  #register(request: InstanceType<typeof messages.RegisterResourceRequest>): Promise<RegisterResourceResponse> {
    return new Promise((resolve, reject) => {
      this.#client.registerResource(request, (error: ServiceError | null, response) =>
        error === null ? resolve(response) : reject(error),
      );
    });
  }
}

/** A fleet of a program in TypeScript has the same children under another type. */
const PROGRAM_ALIAS = new aliasMessages.Alias().setSpec(new aliasMessages.Alias.Spec().setType(AGENT_LOG_CONFIG_TYPE));
