// A URN is `urn:pulumi:<stack>::<project>::<types>::<name>`. The types are those of its parents and its own, with $ between, and a
// name may have colons in it.

/** Returns the name of the resource with this URN. */
export function nameInUrn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Returns its type, without those of its parents. */
export function typeInUrn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Returns the URN of a child of the resource with this URN. */
export function childUrn(urn: string, type: string, name: string): string {
  return `${urn.split("::").slice(0, 3).join("::")}$${type}::${name}`;
}
