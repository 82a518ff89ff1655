import type { PropertyMap } from "./property-value.ts";

/** A resource as the state holds it. */
export interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly parent: string;
  /** URN and id of the provider, or nothing where the engine itself provides the resource. */
  readonly provider: string;
  readonly custom: boolean;
  readonly inputs: PropertyMap;
  readonly outputs: PropertyMap;
  readonly dependencies: readonly string[];
  readonly ignoreChanges: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
}

export const stackType = "pulumi:pulumi:Stack";
export const providerType = "pulumi:providers:pulumi-nodejs";
export const stashType = "pulumi:index:Stash";

export function isDynamic(type: string): boolean {
  return /^pulumi-nodejs:dynamic[:/]/.test(type);
}

export function isDefaultProvider({ type, name }: Pick<Resource, "type" | "name">): boolean {
  return type.startsWith("pulumi:providers:") && /^default(_\w+)?$/.test(name);
}

export function providerUrn(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}

/** Puts the recorded values in the place of those whose changes are ignored. */
export function keepIgnored(news: PropertyMap, olds: PropertyMap, { ignoreChanges }: Resource): PropertyMap {
  const nested = ignoreChanges.find((path) => !/^\w+$/.test(path));
  if (nested !== undefined) throw new Error(`stand-in engine: ignoreChanges of "${nested}" is not modelled`);
  const isIgnored = ([key]: readonly [string, unknown]) => ignoreChanges.includes(key);
  const others = Object.entries(news).filter((entry) => !isIgnored(entry));
  return Object.fromEntries([...others, ...Object.entries(olds).filter(isIgnored)]);
}
