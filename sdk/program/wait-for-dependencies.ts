import * as pulumi from "@pulumi/pulumi";
import { dependenciesOf } from "./private-sdk.ts";

/**
 * Resolves once everything exists that a read depends on: the resources of `dependsOn`, and those that its arguments come
 * from. In a preview it is unknown where one of them is still to be created.
 *
 * @param self the resource that reads, which must not wait for itself
 * @returns whether the read depends on any resource
 */
export function waitForDependencies(dependsOn: unknown, args: object, self?: pulumi.Resource): pulumi.Input<boolean> {
  const eventual = Object.values(args).filter((value) => typeof value === "object" && value !== null);
  if (dependsOn === undefined && eventual.length === 0) return false;
  const sources = [dependsOn, pulumi.output(eventual).apply(() => [])];
  return pulumi.output(waitForResources(sources, new Set(self === undefined ? [] : [self])));
}

async function waitForResources(
  dependsOn: readonly unknown[],
  exclude: ReadonlySet<pulumi.Resource>,
): Promise<pulumi.Output<boolean>> {
  const ids = (await dependenciesOf(dependsOn, exclude)).map(({ id }) => id);
  return pulumi.all(ids).apply(() => ids.length > 0);
}
