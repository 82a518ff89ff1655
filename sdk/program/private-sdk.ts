import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

// What this package uses of @pulumi/pulumi beyond its type declarations. A test fails when a version changes one of these.
// Modules are loaded where they are used, so that one that a later version moves costs no more than that use.

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

/** Returns the custom resources and remote components behind `dependsOn`, components with all their children. */
export async function dependenciesOf(
  dependsOn: unknown,
  exclude: ReadonlySet<pulumi.Resource>,
): Promise<pulumi.Resource[]> {
  const sdk: DependsOnModule = load("@pulumi/pulumi/runtime/dependsOn.js");
  const explicit = await sdk.gatherExplicitDependencies(dependsOn);
  return sdk.getAllTransitivelyReferencedResources(new Set(explicit), exclude);
}

/** Returns the parent of a resource; undefined for the stack. */
export function parentOf(resource: pulumi.Resource): pulumi.Resource | undefined {
  const parent: unknown = Reflect.get(resource, "__parentResource");
  return pulumi.Resource.isInstance(parent) ? parent : undefined;
}

/** Returns the type of a resource. */
export function typeOf(resource: pulumi.Resource): string {
  return String(Reflect.get(resource, "__pulumiType"));
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

/** Returns whether the program is a function that the Automation API runs in its own process. */
export function runsInline(): boolean {
  const sdk: { getLocalStore(): unknown } = load("@pulumi/pulumi/runtime/state.js");
  return sdk.getLocalStore() !== undefined;
}

/** Returns whether the program is a unit test that has called `pulumi.runtime.setMocks`. */
export function runsWithMocks(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
