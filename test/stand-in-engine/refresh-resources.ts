import { differencesOf } from "../deployment/differences-of.ts";
import type { Operation } from "./operation.ts";
import { markMapLike, parseProperties } from "./property-value.ts";
import { isDynamic, keepIgnored, type Resource } from "./resource.ts";
import type { Step } from "./run-text.ts";

/** Reads all dynamic resources of the state, in parallel, and brings the state up to date. */
export async function refreshResources(operation: Operation): Promise<void> {
  const { before } = operation;
  const read = await Promise.allSettled([...before.values()].map((old) => refresh(operation, old)));
  const steps = read.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  for (const step of steps) operation.text.take(step);
  for (const { old, new: fresh } of steps) {
    if (fresh) before.set(fresh.urn, fresh);
    else if (old) before.delete(old.urn);
  }
  for (const [urn, resource] of before) {
    before.set(urn, {
      ...resource,
      dependencies: resource.dependencies.filter((dependency) => before.has(dependency)),
    });
  }
  const failed = read.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

async function refresh(operation: Operation, old: Resource): Promise<Step> {
  if (!isDynamic(old.type)) return { op: "same", old, new: old };
  const call = await operation.hosts.of(old.provider, operation.before);
  const { urn, name, type, id } = old;
  const answer = await call("Read", { id, urn, properties: old.outputs, inputs: old.inputs, name, type });
  if (answer["id"] === undefined) return { op: "delete", old };

  const outputs = markMapLike(parseProperties(answer["properties"]), old.outputs);
  const inputs = answer["inputs"] ? markMapLike(parseProperties(answer["inputs"]), old.inputs) : old.inputs;
  const fresh = { ...old, id: String(answer["id"]), inputs, outputs };

  // The engine asks what it would take to undo what has happened outside.
  const undo = { id, urn, olds: outputs, news: old.inputs, oldInputs: inputs, name, type };
  const { changes } = await call("Diff", undo);
  const differs = differencesOf(old.inputs, keepIgnored(inputs, old.inputs, old)).length > 0;
  const isUpdate = changes === "DIFF_SOME" || (changes !== "DIFF_NONE" && differs);
  return { op: isUpdate ? "update" : "same", old, new: fresh };
}
