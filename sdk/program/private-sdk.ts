import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../text/json.ts";

// These functions use what @pulumi/pulumi has beyond its type declarations, and say what happens if a later version no longer has it.
// Three more things are no part of the declarations. If the SDK no longer looks for `__pulumiRunError` (sdk/model/errors.ts), it prints
// errors with their stacks. If it prints errors in another way, sdk-errors.ts does not shorten them. If the provider host no longer gets
// the address of the engine as its first argument (sdk/provider/dynamic-provider.ts), it prints warnings beside the engine's messages.

/** What the SDK's own invoke uses to wait for `dependsOn`. */
interface DependsOnModule {
  gatherExplicitDependencies(dependsOn: unknown): Promise<pulumi.Resource[]>;
  getAllTransitivelyReferencedResources(
    resources: ReadonlySet<pulumi.Resource>,
    exclude: ReadonlySet<pulumi.Resource>,
  ): Promise<pulumi.Resource[]>;
}

const load = createRequire(import.meta.filename);

/**
 * Returns the custom resources and remote components that `dependsOn` leads to, components with all their children.
 * @throws Error without the internal module: only a read that waits for resources fails
 */
export async function dependenciesOf(
  dependsOn: unknown,
  exclude: ReadonlySet<pulumi.Resource>,
): Promise<pulumi.Resource[]> {
  const sdk: DependsOnModule = load("@pulumi/pulumi/runtime/dependsOn.js");
  const explicit = await sdk.gatherExplicitDependencies(dependsOn);
  return sdk.getAllTransitivelyReferencedResources(new Set(explicit), exclude);
}

/** Returns the parent of a resource; undefined for the stack. Without the member no read waits for a component. */
export function parentOf(resource: pulumi.Resource): pulumi.Resource | undefined {
  const parent = "__parentResource" in resource ? resource.__parentResource : undefined;
  return pulumi.Resource.isInstance(parent) ? parent : undefined;
}

/** Returns the type of a resource, also of what stands for one in a policy pack; empty for anything else, and without the member. */
export function typeOfResource(resource: unknown): string {
  return isObject(resource) && "__pulumiType" in resource ? String(resource["__pulumiType"]) : "";
}

/**
 * Lets a provider stand for another package in the `providers` of a component. Without the member it stands in the place of the provider
 * of other dynamic resources.
 */
export function standFor(provider: pulumi.ProviderResource, packageName: string): void {
  Object.defineProperty(provider, "pkg", { value: packageName });
}

/**
 * Leaves out the stack that the SDK keeps for each property of a resource, which with the source maps of ts-node takes most of the
 * time of a constructor. Errors keep their stacks, and the engine learns the position of the resource. If the SDK renames its
 * function, each property has a stack again.
 * @returns a function that ends this
 */
export function omitPropertyStacks(): () => void {
  const { prepareStackTrace } = Error;
  // Without source maps a stack takes little time.
  if (prepareStackTrace === undefined) return () => {};
  Error.prepareStackTrace = (error, frames) =>
    frames[0]?.getFunctionName() === "debuggablePromise" ? "" : prepareStackTrace(error, frames);
  return () => {
    Error.prepareStackTrace = prepareStackTrace;
  };
}

/** Returns the value of an Output; undefined if it is not known, and without the method. */
export async function plainValueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return "promise" in output && typeof output.promise === "function" ? output.promise() : undefined;
}

/** Calls back with the value of an Output once it is known. Without the method one more Output is made. */
export function whenKnown(output: pulumi.Output<unknown>, use: (value: unknown) => void): void {
  if (!("promise" in output) || typeof output.promise !== "function") output.apply(use);
  // The SDK says why a resource is not registered.
  else output.promise().then(use, () => {});
}

/** Returns whether a key of the stack configuration was set with `--secret`; false without the function. */
export function isConfigSecret(key: string): boolean {
  const { runtime } = pulumi;
  const ask = "isConfigSecret" in runtime ? runtime.isConfigSecret : undefined;
  return typeof ask === "function" && ask(key) === true;
}

/** Returns whether the program is a function that the Automation API runs in its own process; true without the internal module. */
export function runsInline(): boolean {
  try {
    const sdk: { getLocalStore(): unknown } = load("@pulumi/pulumi/runtime/state.js");
    return sdk.getLocalStore() !== undefined;
  } catch {
    return true;
  }
}

/**
 * The exit code by which a program tells Pulumi's language host that it has failed, and that it has already shown why
 * (`nodeJSProcessExitedAfterLoggingUserActionableMessage`). Any other code fails the run as well.
 */
export const ERRORS_ARE_SHOWN = 32;

/** Returns whether a unit test has called `pulumi.runtime.setMocks`; if the SDK renames the class, a unit test reads. */
export function runsWithMocks(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
