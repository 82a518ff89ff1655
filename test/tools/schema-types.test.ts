import path from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { z } from "zod";
import { fleetArgumentsSchema, resourceArgumentsSchema } from "../../sdk/record/resource-arguments.ts";
import { isObject, isPlainObject } from "../../sdk/text/json.ts";
import { schemaPart } from "./schema-part.ts";
import type { SchemaTypes } from "./schema-types.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const ONE = "agent-log-config:index:AgentLogConfig";
const FLEET = "agent-log-config:index:AgentLogConfigs";
const PARTS: Readonly<Record<keyof SchemaTypes, Readonly<Record<string, unknown>>>> = {
  configuration: { properties: schemaPart("config", "variables") },
  provider: { properties: schemaPart("provider", "inputProperties") },
  providerOutputs: schemaPart("provider"),
  resourceInputs: inputsOf(schemaPart("resources", ONE)),
  resourceOutputs: schemaPart("resources", ONE),
  fleetInputs: inputsOf(schemaPart("resources", FLEET)),
  fleetOutputs: schemaPart("resources", FLEET),
  getOneInputs: schemaPart("functions", "agent-log-config:index:getAgentLogConfig", "inputs"),
  getOneOutputs: schemaPart("functions", "agent-log-config:index:getAgentLogConfig", "outputs"),
  getManyInputs: schemaPart("functions", "agent-log-config:index:getAgentLogConfigs", "inputs"),
  getManyOutputs: schemaPart("functions", "agent-log-config:index:getAgentLogConfigs", "outputs"),
};

function inputsOf({ inputProperties, requiredInputs }: Readonly<Record<string, unknown>>) {
  return { properties: inputProperties, required: requiredInputs };
}

const program = compile(path.join(import.meta.dirname, "schema-types.ts"));
const checker = program.getTypeChecker();
const [types] = exportsOf("test/tools/schema-types.ts");
const parts = types ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(types)) : [];

it.each(Object.entries(PARTS))("has the names, kinds, choices and texts of the types for %s", (name, part) => {
  const symbol = parts.find((candidate) => candidate.name === name);
  expect(kindOf(part)).toEqual(symbol && kindOfType(checker.getTypeOfSymbol(symbol)));
});

it("says of each type and resource what its doc comment says first", () => {
  const comments = exportsOf("sdk/index.ts").map((symbol) => [symbol.name, commentOf(symbol)] as const);
  const entities = Object.entries({ ...schemaPart("types"), ...schemaPart("resources") }).flatMap(([token, entity]) => {
    const [, comment] = comments.find(([name]) => token.endsWith(`:${name}`)) ?? [];
    return comment === undefined || !isObject(entity) ? [] : [[entity["description"], comment]];
  });
  expect(entities).toHaveLength(11);
  for (const [description, comment] of entities) expect(String(description).split("\n\n")[0]).toBe(comment);
  for (const name of ["WhenUnexpected", "WhenUnavailable"]) {
    const { description } = schemaPart("types", `agent-log-config:index:${name}`);
    const input = schemaPart("resources", ONE, "inputProperties", name.replace("W", "w"));
    expect(description).toBe(input["description"]);
  }
});

it("has no text about one language alone, because the SDK of each language shows it", () => {
  const texts: string[] = [];
  JSON.stringify(schemaPart(), (key, value) => {
    if (key === "description") texts.push(String(value).split("{{% examples %}}", 1).join());
    return value;
  });
  expect(texts.filter((text) => /\b(Java|Python|Go|YAML|TypeScript)\b|C#/.test(text))).toEqual([]);
});

it.each([
  [PARTS.resourceInputs, resourceArgumentsSchema],
  [PARTS.fleetInputs, fleetArgumentsSchema],
])("takes what a resource takes, whose arguments no compiler compares with their interface", (part, schema) => {
  expect(withoutTexts(kindOf(part))).toEqual(withoutTexts(kindOf(z.toJSONSchema(schema))));
});

/** What other languages need, whose types say less. */
const EXTRAS = / (?:A number, or an|All codes,) .*|(?<=must not be set), .*/;

/** A kind by its name, a choice by its values, a list by its element, a map by `*`, an object by its members. */
function kindOf(part: unknown): unknown {
  if (!isPlainObject(part)) throw new Error(`${JSON.stringify(part)} is no kind`);
  const { $ref, type, enum: choices, oneOf, anyOf = oneOf, items, properties, required, additionalProperties } = part;
  if ($ref === "pulumi.json#/Any") return "any";
  if (typeof $ref === "string") return kindOf(schemaPart(...$ref.split("/").slice(1)));
  if (Array.isArray(choices)) return choice(choices.map((each: unknown) => (isObject(each) ? each["value"] : each)));
  if (Array.isArray(anyOf)) return union(anyOf.map(kindOf));
  if (isObject(items)) return [Array.isArray(items["oneOf"]) ? kindOf(items) : elementOf(kindOf(items))];
  if (isPlainObject(properties)) {
    const members = Object.entries(properties).map(([name, member]) => {
      const description = isObject(member) ? member["description"] : undefined;
      const isRequired = Array.isArray(required) && required.includes(name);
      return [isRequired ? name : `${name}?`, { kind: kindOf(member), text: String(description).replace(EXTRAS, "") }];
    });
    return Object.fromEntries(members);
  }
  if (isObject(additionalProperties)) return { "*": kindOf(additionalProperties) };
  return type === "integer" ? "number" : type;
}

/** The kind of a TypeScript type in the same words. */
function kindOfType(type: ts.Type): unknown {
  // A later version may have more codes than the generated SDK.
  if (type.aliasSymbol?.name === "AgentLogConfigErrorCode") return "string";
  const values = partsOf(type).filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
  if (values.some((value) => value.isStringLiteral())) {
    return choice(values.map((value) => (value.isStringLiteral() ? value.value : undefined)));
  }
  if (values.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral)) return "boolean";
  return union(values.map(kindOfValue));
}

function kindOfValue(type: ts.Type): unknown {
  if (type.flags & ts.TypeFlags.String) return "string";
  if (type.flags & ts.TypeFlags.Number) return "number";
  if (type.flags & ts.TypeFlags.Unknown) return "any";
  const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  if (checker.isArrayType(type) && element) return [elementOf(kindOfType(element))];
  const value = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  if (value) return { "*": kindOfType(value) };
  const members = checker.getPropertiesOfType(type).map((symbol) => {
    const member = checker.getTypeOfSymbol(symbol);
    const text = commentOf(symbol).replace(EXTRAS, "");
    const isOptional =
      !text.includes("empty if") && partsOf(member).some(({ flags }) => flags & ts.TypeFlags.Undefined);
    return [isOptional ? `${symbol.name}?` : symbol.name, { kind: kindOfType(member), text }];
  });
  return Object.fromEntries(members);
}

/** The types of which a value has one, without those by which a program passes it later. */
function partsOf(type: ts.Type): readonly ts.Type[] {
  const [value = type] = type.aliasSymbol?.name === "Output" ? (type.aliasTypeArguments ?? []) : [];
  const all = value.isUnion() ? value.types : [value];
  return all.filter(({ symbol }) => symbol?.name !== "Promise" && symbol?.name !== "OutputInstance");
}

const NOT_SET = "undefined if it is not set";

function exportsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(path.join(ROOT, file));
  const module = source && checker.getSymbolAtLocation(source);
  const symbols = module ? checker.getExportsOfModule(module) : [];
  return symbols.map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

/** The first paragraph of a doc comment. In other languages a text that is not set is empty, and what else is undefined is absent. */
function commentOf(symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const [paragraph = ""] = text.replaceAll(/\{@link ([\w.]+)\}/g, "`$1`").split("\n\n");
  return paragraph
    .replaceAll("\n", " ")
    .replace(NOT_SET, "empty if it is not set")
    .replaceAll(/\bundefined\b/g, "absent");
}

/** Typed languages refuse a plain text if only the choice is allowed, so that the schema allows both. */
function union(kinds: readonly unknown[]): unknown {
  const [first, ...others] = kinds.filter((kind) => kind !== "string" || !kinds.some(isChoice));
  return others.length === 0 ? first : { oneOf: [first, ...others] };
}

/** C# and Java take no choice for an element of a list, so the schema has a text. */
function elementOf(kind: unknown): unknown {
  return isChoice(kind) ? "string" : kind;
}

function choice(values: readonly unknown[]): string {
  return values
    .map((value) => JSON.stringify(value))
    .sort()
    .join(" | ");
}

function isChoice(kind: unknown): boolean {
  return typeof kind === "string" && kind.startsWith('"');
}

function withoutTexts(kind: unknown): unknown {
  return JSON.parse(JSON.stringify(kind, (key, value) => (key === "text" ? undefined : value)));
}

function compile(file: string): ts.Program {
  const { config } = ts.readConfigFile(path.join(ROOT, "tsconfig.json"), ts.sys.readFile);
  return ts.createProgram([file], ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options);
}
