import { randomUUID } from "node:crypto";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { differencesOf } from "../deployment/differences-of.ts";
import { type Operation, takeStep } from "./operation.ts";
import {
  isSecret,
  mapValues,
  markMapLike,
  type PropertyMap,
  parseProperties,
  secret,
  unknownValue,
} from "./property-value.ts";
import type { CallProvider } from "./provider-hosts.ts";
import { isDynamic, keepIgnored, providerType, providerUrn, type Resource, stackType, stashType } from "./resource.ts";
import type { Step } from "./run-text.ts";

/** Refused by name: the engine would act on them, and what it does is not modelled. */
const refusedOptions = [
  "importid",
  "protect",
  "replaceonchangesList",
  "aliasurnsList",
  "aliasesList",
  "deletebeforereplacedefined",
  "retainondelete",
  "deletedwith",
  "replaceWithList",
  "replacementTrigger",
  "transformsList",
  "hooks",
  "hidediffsList",
  "remote",
  "stateMigrationsList",
  "packageref",
] as const;

/** Does what a program's registration of a resource asks for, and returns the resource as the program sees it. */
export async function registerResource(operation: Operation, request: RegisterResourceRequest): Promise<Resource> {
  const wanted = wantedResource(operation, request);
  const old = operation.before.get(wanted.urn);
  return !wanted.custom
    ? registerComponent(operation, wanted, old)
    : wanted.type === providerType
      ? registerProvider(operation, wanted, old)
      : wanted.type === stashType
        ? registerStash(operation, wanted, old)
        : registerDynamic(operation, wanted, old);
}

/** Returns the reference to the provider of resources that name none, configured by the stack's configuration. */
function defaultProvider(operation: Operation): string {
  const urn = `urn:pulumi:${operation.stack}::${operation.project}::${providerType}::default`;
  const entries = [...operation.config].map(([key, { value, secret: isHidden }]) => [
    key,
    isHidden ? secret(value) : value,
  ]);
  const inputs = parseProperties(Object.fromEntries(entries));
  const known = operation.after.get(urn);
  if (known) return `${urn}::${known.id}`;
  const id = operation.before.get(urn)?.id ?? newId(operation);
  const provider = { ...nothing, urn, type: providerType, name: "default", id, custom: true, inputs, outputs: inputs };
  operation.after.set(urn, provider);
  operation.hosts.configure(provider);
  return `${urn}::${id}`;
}

function resourceUrn({ stack, project }: Operation, type: string, name: string, parent: string): string {
  const parentType = parent.split("::")[2] ?? "";
  const qualified = parentType === "" || parentType === stackType ? type : `${parentType}$${type}`;
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`;
}

const nothing = {
  id: "",
  parent: "",
  provider: "",
  custom: false,
  inputs: {},
  outputs: {},
  dependencies: [],
  ignoreChanges: [],
  additionalSecretOutputs: [],
};

function wantedResource(operation: Operation, request: RegisterResourceRequest): Resource {
  const type = request.getType();
  const name = request.getName();
  const options = request.toObject();
  for (const option of refusedOptions) {
    const value = options[option];
    if (Array.isArray(value) ? value.length > 0 : value) {
      throw new Error(`stand-in engine: the option ${option} of ${name} is not modelled`);
    }
  }
  const parent = request.getParent();
  const urn = resourceUrn(operation, type, name, parent);
  if (operation.after.has(urn)) throw new Error(`Duplicate resource URN '${urn}'; try giving it a unique name`);
  const inputs = parseProperties(request.getObject()?.toJavaScript());
  return {
    ...nothing,
    urn,
    type,
    name,
    parent,
    inputs,
    provider: request.getProvider(),
    custom: request.getCustom(),
    dependencies: request.getDependenciesList(),
    ignoreChanges: request.getIgnorechangesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
  };
}

/** The outputs of a component are known when the program registers them. */
async function registerComponent(operation: Operation, wanted: Resource, old: Resource | undefined): Promise<Resource> {
  const component = { ...wanted, outputs: old?.outputs ?? {} };
  operation.text.take({ op: old ? "same" : "create", old, new: component });
  operation.after.set(component.urn, component);
  return { ...component, outputs: wanted.inputs };
}

async function registerProvider(operation: Operation, wanted: Resource, old: Resource | undefined): Promise<Resource> {
  const provider = { ...wanted, id: old?.id ?? newId(operation), outputs: wanted.inputs };
  operation.hosts.configure(provider);
  return settle(operation, plainStep(wanted, old), async () => provider);
}

async function registerStash(operation: Operation, wanted: Resource, old: Resource | undefined): Promise<Resource> {
  const input = wanted.inputs["input"] ?? null;
  const outputs = { input, output: old?.outputs["output"] ?? input };
  const id = old?.id ?? (operation.planning ? "" : randomUUID());
  return settle(operation, plainStep(wanted, old), async () => ({ ...wanted, id, outputs }));
}

/** What is to be done with a resource whose provider is not asked. */
function plainStep(wanted: Resource, old: Resource | undefined): Step {
  const op = old === undefined ? "create" : differencesOf(old.inputs, wanted.inputs).length > 0 ? "update" : "same";
  return { op, old, new: wanted };
}

async function registerDynamic(operation: Operation, wanted: Resource, old: Resource | undefined): Promise<Resource> {
  if (!isDynamic(wanted.type)) throw new Error(`stand-in engine: resources of type ${wanted.type} are not modelled`);
  const provider = wanted.provider || defaultProvider(operation);
  if (old && providerUrn(old.provider) !== providerUrn(provider)) {
    throw new Error(`stand-in engine: moving ${wanted.name} to another provider is not modelled`);
  }
  const call = await operation.hosts.of(provider, operation.before);
  const step = await operation.oneAtATime(() => planDynamic(call, { ...wanted, provider }, old));
  const { new: planned = wanted } = step;
  return settle(operation, step, async () => {
    if (step.op === "same") return { ...planned, outputs: old?.outputs ?? {} };
    if (operation.planning) return { ...planned, outputs: planned.inputs };
    if (step.op === "update") return update(call, planned, old);
    if (old !== undefined) operation.replaced.push(old);
    return create(call, planned);
  });
}

/** Asks the provider what is to be done. The engine does so for one resource at a time, whatever --parallel says. */
async function planDynamic(call: CallProvider, wanted: Resource, old: Resource | undefined): Promise<Step> {
  const news = old ? keepIgnored(wanted.inputs, old.inputs, wanted) : wanted.inputs;
  const inputs = await check(call, wanted, old?.inputs ?? {}, news);
  const planned = { ...wanted, id: old?.id ?? "", inputs };
  if (old === undefined) return { op: "create", new: planned };
  const { changes, replaces } = await call("Diff", changeRequest(planned, old));
  // What the provider says outweighs what the inputs say.
  const differs = changes === "DIFF_SOME" || differencesOf(old.inputs, inputs).length > 0;
  if (changes === "DIFF_NONE" || !differs) return { op: "same", old, new: planned };
  if (!Array.isArray(replaces)) return { op: "update", old, new: planned };
  if (wanted.ignoreChanges.some((name) => !name.startsWith("__"))) {
    throw new Error(`stand-in engine: replacing ${wanted.name}, which ignores changes, is not modelled`);
  }
  const fresh = await check(call, wanted, {}, wanted.inputs);
  return { op: "replace", old, new: { ...planned, id: "", inputs: fresh } };
}

async function check(call: CallProvider, wanted: Resource, olds: PropertyMap, news: PropertyMap) {
  const { urn, name, type } = wanted;
  const answer = await call("Check", { urn, olds, news, name, type });
  const inputs = markMapLike(parseProperties(answer["inputs"]), news);
  const failures = Array.isArray(answer["failures"]) ? answer["failures"].map(parseProperties) : [];
  if (failures.length === 0) return inputs;
  const lines = failures.map((failure) => {
    const property = String(failure["property"] ?? "");
    const value = inputs[property];
    const shown = value === undefined ? "<nil>" : isSecret(value) ? "[secret]" : String(value);
    const about = property === "" ? "" : `: property ${property} value {${shown}}`;
    return `${type} resource '${name}'${about} has a problem: ${String(failure["reason"])}`;
  });
  throw new Error(lines.join("\n"));
}

async function create(call: CallProvider, planned: Resource): Promise<Resource> {
  const { urn, name, type, inputs } = planned;
  const answer = await call("Create", { urn, properties: inputs, name, type });
  const outputs = markMapLike(parseProperties(answer["properties"]), inputs);
  return { ...planned, id: String(answer["id"] ?? ""), outputs };
}

async function update(call: CallProvider, planned: Resource, old: Resource | undefined): Promise<Resource> {
  const answer = old && (await call("Update", changeRequest(planned, old)));
  return { ...planned, outputs: markMapLike(parseProperties(answer?.["properties"]), planned.inputs) };
}

function changeRequest({ urn, name, type, inputs }: Resource, old: Resource): PropertyMap {
  return { id: old.id, urn, olds: old.outputs, news: inputs, oldInputs: old.inputs, name, type };
}

/** Takes a step, marks its outputs, and keeps the resource. */
async function settle(operation: Operation, step: Step, make: () => Promise<Resource>): Promise<Resource> {
  const resource = await takeStep(operation, step, async () => {
    const made = await make();
    const isSecretOutput = (key: string) => made.additionalSecretOutputs.includes(key);
    const outputs = mapValues(made.outputs, (value: PropertyMap[string], key) =>
      isSecretOutput(key) ? secret(value) : value,
    );
    return { ...made, outputs };
  });
  operation.after.set(resource.urn, resource);
  return resource;
}

function newId({ planning }: Operation): string {
  return planning ? unknownValue : randomUUID();
}
