/**
 * Copies objects, arrays, maps and sets with all references among them; classes must have no private fields. Functions and
 * what `isShared` names are not copied.
 */
export function copyGraph<Root extends object>(root: Root, isShared: (value: object) => boolean): Root {
  const copies = new Map<object, object>();
  function copy<Value>(value: Value): Value;
  function copy(value: unknown): unknown {
    if (typeof value !== "object" || value === null || isShared(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const made = emptyLike(value);
    copies.set(value, made);
    if (value instanceof Map && made instanceof Map) for (const [key, inner] of value) made.set(key, copy(inner));
    else if (value instanceof Set && made instanceof Set) for (const inner of value) made.add(copy(inner));
    else copyMembers(value, Object.assign(made, value));
    return made;
  }
  function copyMembers(from: object, to: object): void {
    for (const [name, inner] of Object.entries(from)) {
      if (typeof inner === "object" && inner !== null) Reflect.set(to, name, copy(inner));
    }
  }
  return copy(root);
}

function emptyLike(value: object): object {
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  return Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
}

/**
 * Describes graphs so that two of them have the same text only if they are alike. Names of the form n1, n2 are replaced by the
 * order in which they are met. `contentOf` returns what of an object matters, in an order of its choice.
 */
export function fingerprintOf(
  root: object,
  contentOf: (value: object, isMet: (name: string) => boolean) => readonly unknown[],
): string {
  const met = new Map<unknown, number>();
  const isMet = (name: string) => met.has(name);
  let text = "";
  const visit = (value: unknown): void => {
    const isObject = typeof value === "object" && value !== null;
    if (!isObject && !(typeof value === "string" && NAME.test(value))) {
      text += `${value},`;
      return;
    }
    const known = met.get(value);
    text += `#${known ?? met.size},`;
    if (known !== undefined) return;
    met.set(value, met.size);
    if (!isObject) return;
    for (const inner of contentOf(value, isMet)) visit(inner);
    text += ";";
  };
  visit(root);
  return text;
}

const NAME = /^n\d+$/;
