import { isObject } from "../sdk/client/is-object.ts";

/**
 * Writes the names of an entity's own properties in its texts as references, which a generated SDK shows as its language
 * spells them.
 * @param pointer where the schema has the entity, such as `#/types/<token>`
 */
export function withReferences<Entity extends object>(pointer: string, entity: Entity): Entity {
  const places = PROPERTY_PLACES.flatMap((place) =>
    Object.keys(propertiesAt(entity, place)).map((property) => [property, `${pointer}/${place}/${property}`] as const),
  );
  const pointerTo = new Map(places);
  const refer = (code: string, name: string) => (pointerTo.has(name) ? `{{% ref ${pointerTo.get(name)} %}}` : code);
  const text = JSON.stringify(entity, (key, value: unknown) =>
    key === "description" && typeof value === "string" ? value.replaceAll(/`(\w+)`/g, refer) : value,
  );
  return JSON.parse(text);
}

/** Where resources, functions and types have properties. The last one counts if several have a property. */
const PROPERTY_PLACES = ["outputs/properties", "inputs/properties", "properties", "inputProperties"];

function propertiesAt(entity: object, place: string): object {
  const found = place.split("/").reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), entity);
  return isObject(found) ? found : {};
}
