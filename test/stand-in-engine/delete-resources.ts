import { type Operation, takeStep } from "./operation.ts";
import { parseProperties } from "./property-value.ts";
import { isDynamic, type Resource } from "./resource.ts";

/** Deletes resources, dependents first. */
export async function deleteResources(operation: Operation, doomed: readonly Resource[]): Promise<void> {
  for (const old of [...doomed].reverse()) {
    await takeStep(operation, { op: "delete", old }, () => deleteResource(operation, old));
    operation.before.delete(old.urn);
  }
}

/** Asks the provider to delete what a resource stands for. */
export async function deleteResource(operation: Operation, old: Resource): Promise<undefined> {
  if (!isDynamic(old.type)) return;
  const call = await operation.hosts.of(old.provider, operation.before);
  if (operation.planning) return;
  const { urn, id, name, type } = old;
  const properties = parseProperties(old.outputs);
  await call("Delete", { id, urn, properties, oldInputs: old.inputs, name, type });
}
