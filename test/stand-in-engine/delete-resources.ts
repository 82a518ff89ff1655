import { EngineFailure, type Operation, takeStep } from "./operation.ts";
import { parseProperties } from "./property-value.ts";
import { dependsOn, isDynamic, type Resource } from "./resource.ts";

/** Deletes resources, dependents first. One that is protected stays with all that it depends on, and fails the run. */
export async function deleteResources(operation: Operation, doomed: readonly Resource[]): Promise<void> {
  const kept: Resource[] = [];
  const failures: unknown[] = [];
  for (const old of [...doomed].reverse()) {
    if (kept.some((resource) => dependsOn(resource, old.urn))) {
      kept.push(old);
      continue;
    }
    try {
      await takeStep(operation, { op: old.external ? "discard" : "delete", old }, () => deleteResource(operation, old));
      operation.before.delete(old.urn);
    } catch (error) {
      kept.push(old);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Asks the provider to delete what a resource stands for. */
export async function deleteResource(operation: Operation, old: Resource): Promise<{ result: undefined }> {
  if (old.protect) throw new EngineFailure(protectedMessage(old.urn), "step");
  if (!isDynamic(old.type)) return { result: undefined };
  const host = await operation.hosts.of(old.provider, operation.before);
  if (operation.planning || old.external) return { result: undefined };
  const { urn, id, name, type } = old;
  const properties = parseProperties(old.outputs);
  await host?.call("Delete", { id, urn, properties, oldInputs: old.inputs, name, type });
  return { result: undefined };
}

function protectedMessage(urn: string): string {
  return [
    `resource "${urn}" cannot be deleted`,
    "because it is protected. To unprotect the resource, either remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:",
    `\`pulumi state unprotect '${urn}'\``,
  ].join("\n");
}
