import * as pulumi from "@pulumi/pulumi";
import { dependenciesOf, parentOf, plainValueOf, typeOfResource } from "./private-sdk.ts";

/**
 * Resolves once everything exists that a read depends on: the resources of `dependsOn`, and those that its arguments come from. In
 * a preview the result is unknown if one of them is still to be created.
 *
 * @returns whether the read depends on any resource
 */
export function waitForDependencies(dependsOn: unknown, args: object, self?: pulumi.Resource): pulumi.Input<boolean> {
  const eventual = Object.values(args).filter((value) => typeof value === "object" && value !== null);
  const explicit: readonly unknown[] = [dependsOn ?? []].flat();
  if (explicit.length === 0 && eventual.length === 0) return false;
  const sources = [...explicit, pulumi.output(eventual).apply(() => [])];
  return pulumi.output(waitForIds(sources, new Set(self === undefined ? [] : [self])));
}

async function waitForIds(
  dependsOn: readonly unknown[],
  exclude: ReadonlySet<pulumi.Resource>,
): Promise<pulumi.Output<boolean>> {
  const dependencies = await dependenciesOf(dependsOn, exclude);
  const ids = dependencies.map((resource) => (pulumi.CustomResource.isInstance(resource) ? resource.id : resource.urn));
  return pulumi.all(ids).apply(() => ids.length > 0);
}

/** Returns what a read waits for by its options: `dependsOn`, and the parent if what it creates may change the settings. */
export function dependenciesIn({ dependsOn = [], parent }: pulumi.CustomResourceOptions): readonly unknown[] {
  return [dependsOn, parent !== undefined && mayChangeSettings(parent) ? parent : []].flat();
}

/**
 * Waits for the registration of what these options name beside `dependsOn`, as the SDK does: the resources of `deletedWith` and
 * `replaceWith`, and the component around the resource. A component is registered after everything that its own options and arguments
 * name. All of this may change the settings, so a read in a component counts as a read that has waited.
 * @returns undefined if there is nothing to wait for
 */
export function waitForRegistration(options: pulumi.CustomResourceOptions): Promise<unknown> | undefined {
  const { parent, deletedWith, replaceWith = [] } = options;
  const isInComponent = pulumi.ComponentResource.isInstance(parent) && parentOf(parent) !== undefined;
  const resources = [isInComponent ? parent : [], deletedWith ?? [], replaceWith].flat();
  return resources.length === 0 ? undefined : Promise.all(resources.map(({ urn }) => plainValueOf(urn)));
}

/** Tells whether creating a resource may change anything; components and providers change nothing. */
function mayChangeSettings(resource: pulumi.Resource): boolean {
  return pulumi.CustomResource.isInstance(resource) && !typeOfResource(resource).startsWith("pulumi:providers:");
}
