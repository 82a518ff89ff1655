import type { ReadResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import type { Operation } from "./operation.ts";
import { markMapLike, parseProperties, unknownValue } from "./property-value.ts";
import { textOf } from "./provider-host.ts";
import { defaultProvider, nothing, resourceUrn, settle } from "./register-resource.ts";
import { isDynamic, type Resource } from "./resource.ts";

/** Reads a resource that a program adopts with `get`. */
export async function readResource(operation: Operation, request: ReadResourceRequest): Promise<Resource> {
  const type = request.getType();
  const name = request.getName();
  const id = request.getId();
  const parent = request.getParent();
  const urn = resourceUrn(operation, type, name, parent);
  const refuse = (what: string) => new Error(`stand-in engine: get of ${name}${what} is not modelled`);
  if (!isDynamic(type)) throw refuse(`, of type ${type},`);
  if (id === unknownValue) throw refuse(" with an unknown id");
  const old = operation.before.get(urn);
  if (old && !old.external) throw refuse(", which the stack has created,");
  const provider = request.getProvider() || defaultProvider(operation);
  const host = await operation.hosts.of(provider, operation.before);
  if (host === undefined) throw refuse(" with an unknown provider configuration");

  const inputs = parseProperties(request.getProperties()?.toJavaScript());
  const wanted: Resource = {
    ...nothing,
    urn,
    type,
    name,
    id,
    parent,
    provider,
    inputs,
    custom: true,
    external: true,
    dependencies: request.getDependenciesList(),
    additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
  };
  return settle(operation, { op: "read", old, new: wanted }, async () => {
    const answer = await host.call("Read", { id, urn, properties: inputs, inputs, name, type });
    if (textOf(answer["id"]) === "") throw refuse(", which its provider does not find,");
    return { ...wanted, outputs: markMapLike(parseProperties(answer["properties"]), inputs) };
  });
}
