import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

// What this package uses of @pulumi/pulumi beyond its type declarations. A test fails when a version changes one of these.

/** What the SDK's own invoke uses to wait for `dependsOn`. */
interface DependsOnModule {
  gatherExplicitDependencies(dependsOn: unknown): Promise<pulumi.Resource[]>;
  getAllTransitivelyReferencedResources(
    resources: ReadonlySet<pulumi.Resource>,
    exclude: ReadonlySet<pulumi.Resource>,
  ): Promise<pulumi.Resource[]>;
}

// A bundle in CommonJS has no import.meta.url, and there require finds the module.
const load = import.meta.url === undefined ? require : createRequire(import.meta.url);
const dependsOnModule: DependsOnModule = load("@pulumi/pulumi/runtime/dependsOn.js");

/** Returns the custom resources behind `dependsOn`, components with all their children. */
export async function dependenciesOf(
  dependsOn: unknown,
  exclude: ReadonlySet<pulumi.Resource>,
): Promise<pulumi.CustomResource[]> {
  const explicit = await dependsOnModule.gatherExplicitDependencies(dependsOn);
  const all = await dependsOnModule.getAllTransitivelyReferencedResources(new Set(explicit), exclude);
  return all.filter((resource) => pulumi.CustomResource.isInstance(resource));
}

/** Returns the value of an Output; undefined as long as it is unknown. */
export async function plainValueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return "promise" in output && typeof output.promise === "function" ? output.promise() : undefined;
}

/** Returns whether a key of the stack configuration was set with `--secret`. */
export function isConfigSecret(key: string): boolean {
  const ask: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof ask === "function" && ask(key) === true;
}

/** Returns whether the program is a unit test that has called `pulumi.runtime.setMocks`. */
export function runsWithMocks(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
