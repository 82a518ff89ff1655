import { type Operation, takeStep } from "./operation.ts";
import { parseProperties } from "./property-value.ts";
import { isDynamic, type Resource } from "./resource.ts";

/** Deletes resources, dependents first. */
export async function deleteResources(operation: Operation, doomed: readonly Resource[]): Promise<void> {
  for (const old of [...doomed].reverse()) {
    await takeStep(operation, { op: old.external ? "discard" : "delete", old }, () => deleteResource(operation, old));
    operation.before.delete(old.urn);
  }
}

/** Asks the provider to delete what a resource stands for. */
export async function deleteResource(operation: Operation, old: Resource): Promise<{ result: undefined }> {
  if (!isDynamic(old.type)) return { result: undefined };
  const host = await operation.hosts.of(old.provider, operation.before);
  if (operation.planning || old.external) return { result: undefined };
  const { urn, id, name, type } = old;
  const properties = parseProperties(old.outputs);
  await host?.call("Delete", { id, urn, properties, oldInputs: old.inputs, name, type });
  return { result: undefined };
}
