import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

/** What the SDK's own invoke uses to the same end; not in its type declarations. */
interface DependsOnModule {
  gatherExplicitDependencies(dependsOn: unknown): Promise<pulumi.Resource[]>;
  getAllTransitivelyReferencedResources(
    resources: ReadonlySet<pulumi.Resource>,
    exclude: ReadonlySet<pulumi.Resource>,
  ): Promise<pulumi.Resource[]>;
}

const dependsOnModule: DependsOnModule = createRequire(import.meta.url)("@pulumi/pulumi/runtime/dependsOn.js");

/**
 * Resolves once everything that a read depends on is there: the resources of `dependsOn` and those that its arguments
 * come from, components with all their children. In a preview it is unknown where one of them is still to be created.
 *
 * @param self the resource that reads, which must not wait for itself
 * @returns whether there was any
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
  const explicit = await dependsOnModule.gatherExplicitDependencies(dependsOn);
  const all = await dependsOnModule.getAllTransitivelyReferencedResources(new Set(explicit), exclude);
  const ids = all.filter((resource) => pulumi.CustomResource.isInstance(resource)).map(({ id }) => id);
  return pulumi.all(ids).apply(() => ids.length > 0);
}
