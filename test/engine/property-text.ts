import type { Difference, MapDifference } from "./difference.ts";
import { isMap, isSecret, type PropertyMap, type PropertyValue, unknownValue } from "./property-value.ts";

/** The two characters before what is drawn: "+ ", "~ ", "- ", or two spaces. */
export type Mark = "  " | "+ " | "~ " | "- ";

export function indentation(indent: number, mark: Mark = "  "): string {
  return indent === 0 ? "" : "    ".repeat(indent).slice(0, -2) + mark;
}

/** Draws the properties of a map, one or more lines each. Those that are not shown take part in the alignment. */
export function mapText(
  map: PropertyMap,
  indent: number,
  mark: Mark = "  ",
  isShown = (_key: string, _value: PropertyValue) => true,
): string {
  const title = titles(Object.keys(map));
  return Object.keys(map)
    .sort()
    .filter((key) => !key.startsWith("__") && isShown(key, map[key] ?? null))
    .map((key) => `${indentation(indent, mark)}${title(key)}${valueText(map[key] ?? null, indent, mark)}\n`)
    .join("");
}

/** Draws a difference, with or without what is the same on both sides. */
export function differenceText(difference: MapDifference, indent: number, options: { sames: boolean }): string {
  const shown = [...difference.entries].filter(
    ([key, entry]) => !key.startsWith("__") && (options.sames || entry.kind !== "same"),
  );
  const title = titles(shown.map(([key]) => key));
  return shown.map(([key, entry]) => entryText(title(key), entry, indent, indent, options)).join("");
}

/** Draws one property of a difference, as its outputs section does. */
export function outputText(key: string, entry: Difference, difference: MapDifference, indent: number): string {
  return entryText(titles(difference.entries.keys())(key), entry, indent, indent, { sames: true });
}

function entryText(
  title: string,
  entry: Difference,
  indent: number,
  valueIndent: number,
  options: { sames: boolean },
): string {
  const line = (mark: Mark, text: string) => `${indentation(indent, mark)}${title}${text}\n`;
  const whole = (mark: Mark, value: PropertyValue) => line(mark, valueText(value, valueIndent, mark));
  switch (entry.kind) {
    case "same":
      return entry.value === null ? "" : whole("  ", entry.value);
    case "add":
      return whole("+ ", entry.value);
    case "delete":
      return whole("- ", entry.value);
    case "update":
      if (typeof entry.from === "object" && !isSecret(entry.from))
        return whole("- ", entry.from) + whole("+ ", entry.to);
      if (typeof entry.to === "object" && !isSecret(entry.to)) return whole("- ", entry.from) + whole("+ ", entry.to);
      return line("~ ", `${valueText(entry.from, indent)} => ${valueText(entry.to, indent)}`);
    case "map":
      return line("~ ", `{\n${differenceText(entry, valueIndent + 1, options)}${indentation(valueIndent)}}`);
    case "list": {
      const elements = entry.entries
        .filter(({ kind }) => options.sames || kind !== "same")
        .map((element) =>
          entryText(`[${entry.entries.indexOf(element)}]: `, element, indent + 1, valueIndent + 2, options),
        );
      return line("~ ", `[\n${elements.join("")}${indentation(valueIndent)}]`);
    }
  }
}

function valueText(value: PropertyValue, indent: number, mark: Mark = "  "): string {
  if (isSecret(value)) return "[secret]";
  if (value === unknownValue) return "[unknown]";
  if (value === null) return "<null>";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    const elements = value.map(
      (element, index) => `${indentation(indent, mark)}    [${index}]: ${valueText(element, indent + 1, mark)}\n`,
    );
    return `[\n${elements.join("")}${indentation(indent)}]`;
  }
  if (!isMap(value)) return JSON.stringify(value);
  const lines = mapText(value, indent + 1, mark);
  return lines === "" ? "{}" : `{\n${lines}${indentation(indent)}}`;
}

function titles(keys: Iterable<string>): (key: string) => string {
  const width = Math.max(0, ...[...keys].map((key) => key.length));
  return (key) => `${key.padEnd(width)}: `;
}
