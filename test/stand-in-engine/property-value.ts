import { isPlainObject } from "../../sdk/text/json.ts";

export type PropertyValue = null | boolean | number | string | PropertyValue[] | PropertyMap;
export interface PropertyMap {
  [key: string]: PropertyValue;
}

/** What stands for a value that is not known before an update, on the wire. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const signatureKey = "4dabf18193072939515e22adb298388d";
export const secretSignature = "1b47061264138c4ac30d75fd1eb44270";
const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** Takes plain data from the wire. Assets, archives, resource references and the like are refused. */
function parseValue(value: unknown): PropertyValue {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string") {
    return value;
  }
  if (Array.isArray(value)) return value.map(parseValue);
  if (typeof value !== "object") throw new Error(`stand-in engine: a value of type ${typeof value} is not modelled`);
  const map = mapValues(value, parseValue);
  const signature = map[signatureKey];
  // An output of a component without a value is one that is not known.
  if (signature === outputSignature && Object.keys(map).length === 1) return unknownValue;
  if (signature !== undefined && signature !== secretSignature) {
    throw new Error(`stand-in engine: a value of kind ${JSON.stringify(signature)} is not modelled`);
  }
  return map;
}

export function parseProperties(value: unknown): PropertyMap {
  const map = parseValue(value ?? {});
  if (!isMap(map)) throw new Error("stand-in engine: properties are not a map");
  return map;
}

export function isSecret(value: PropertyValue | undefined): value is PropertyMap {
  return isPlainObject(value) && value[signatureKey] === secretSignature;
}

export function isMap(value: PropertyValue | undefined): value is PropertyMap {
  return isPlainObject(value) && !isSecret(value);
}

export function secret(value: PropertyValue): PropertyMap {
  return isSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

export function secretContent(value: PropertyMap): PropertyValue {
  return value["value"] ?? null;
}

/** Applies a function to every secret, wherever it is, and keeps the rest. */
export function replaceSecrets(
  value: PropertyValue,
  replace: (content: PropertyValue) => PropertyValue,
): PropertyValue {
  if (isSecret(value)) return replace(secretContent(value));
  if (Array.isArray(value)) return value.map((element) => replaceSecrets(element, replace));
  return isMap(value) ? mapValues(value, (element) => replaceSecrets(element, replace)) : value;
}

/** Makes all secrets the same, so that one that changes does not show. */
export function maskSecrets(map: PropertyMap): PropertyMap {
  return mapValues(map, (value: PropertyValue) => replaceSecrets(value, () => secret("hidden")));
}

/** The provider host answers acceptSecrets=false, so the engine sends it plain values. */
export function withoutSecrets(value: PropertyValue): PropertyValue {
  return replaceSecrets(value, withoutSecrets);
}

export function hasUnknown(value: PropertyValue): boolean {
  return (
    value === unknownValue || (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown))
  );
}

/** The engine keeps the secret mark of a value on what the host returns under the same name. */
function markLike(value: PropertyValue, model: PropertyValue): PropertyValue {
  if (isSecret(model)) return secret(value);
  return isMap(value) && isMap(model) ? markMapLike(value, model) : value;
}

export function markMapLike(map: PropertyMap, model: PropertyMap): PropertyMap {
  return mapValues(map, (value, key) => markLike(value, model[key] ?? null));
}

export function mapValues<From, To>(map: Record<string, From> | object, change: (value: From, key: string) => To) {
  return Object.fromEntries(Object.entries(map).map(([key, value]): [string, To] => [key, change(value, key)]));
}
