import type { Difference, MapDifference } from "./difference.ts";
import { isMap, isSecret, type PropertyMap, type PropertyValue, unknownValue } from "./property-value.ts";

/** The two characters before what is drawn: "+ ", "~ ", "- ", or two spaces. */
type Mark = "  " | "+ " | "~ " | "- ";

function indentation(indent: number, mark: Mark = "  "): string {
  return indent === 0 ? "" : "    ".repeat(indent).slice(0, -2) + mark;
}

/** Draws the properties of a map, one or more lines each. */
export function mapText(map: PropertyMap, indent: number, mark: Mark = "  "): string {
  const shown = Object.keys(map).filter((key) => !key.startsWith("__"));
  const title = titles(shown);
  return shown
    .sort()
    .map((key) => `${indentation(indent, mark)}${title(key)}${valueText(map[key] ?? null, indent, mark)}\n`)
    .join("");
}

/** Draws what differs, as `--diff` does. */
export function differenceText(difference: MapDifference, indent: number): string {
  const shown = [...difference.entries].filter(([key, entry]) => !key.startsWith("__") && entry.kind !== "same");
  const title = titles(shown.map(([key]) => key));
  return shown.map(([key, entry]) => entryText(title(key), entry, indent, indent)).join("");
}

function entryText(title: string, entry: Difference, indent: number, valueIndent: number): string {
  const line = (mark: Mark, text: string) => `${indentation(indent, mark)}${title}${text}\n`;
  const whole = (mark: Mark, value: PropertyValue) => line(mark, valueText(value, valueIndent, mark));
  switch (entry.kind) {
    case "same":
      return "";
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
      return line("~ ", `{\n${differenceText(entry, valueIndent + 1)}${indentation(valueIndent)}}`);
    case "list": {
      const elements = entry.entries.map((element, index) =>
        entryText(`[${index}]: `, element, indent + 1, valueIndent + 2),
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
