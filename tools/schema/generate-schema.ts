import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTING_NAMES,
  environmentVariable,
} from "../../sdk/connection/connection-settings.ts";
import type { GetAgentLogConfigsArgs, ReadFailure, ReadManyResult } from "../../sdk/connection/read-many.ts";
import type { AgentLogConfigResult, ServiceVersion } from "../../sdk/model/agent-log-config-result.ts";
import { agentLogSettingsSchema, logRotateSchema, SECRET_SETTING } from "../../sdk/model/agent-log-settings.ts";
import { connectionOptionsSchema, SECRET_CONNECTION_SETTING } from "../../sdk/model/connection-options.ts";
import { readArgumentsSchema } from "../../sdk/model/read-arguments.ts";
import type { AgentLogConfig } from "../../sdk/program/agent-log-config.ts";
import type { FleetSettings } from "../../sdk/program/agent-log-configs.ts";
import { resourceArgumentsSchema } from "../../sdk/record/resource-arguments.ts";
import {
  expectedPathSchema,
  expectedRangeSchema,
  expectedSettingsSchema,
  expectedThresholdsSchema,
} from "../../sdk/record/unmet-expectations.ts";
import { type Documented, docComments } from "./doc-comments.ts";
import { type Manifest, type OwnedNames, packageIdentity, rename } from "./package-identity.ts";

/** A part of the schema: a JSON object. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Generates the schema that the SDKs of all languages are generated from. Names, kinds and texts are those of the TypeScript
 * declarations, so that nothing is written down twice.
 */
export function generateSchema(manifest: Manifest): Schema {
  const { version, license, homepage } = manifest;
  const { names, ...places } = packageIdentity(manifest);
  const description = `${manifest.description}.`;
  const readme = sdkReadme(names);
  return {
    name: CONFIGURATION_NAMESPACE,
    displayName: "Agent Log Config",
    version,
    description,
    keywords: [
      "pulumi",
      "mongodb",
      "ops-manager",
      "cloud-manager",
      "monitoring",
      "backup",
      "log-rotation",
      "drift",
      "kind/native",
      "category/monitoring",
    ],
    publisher: "pulumi-agent-log-config",
    homepage,
    license,
    ...places,
    config: { variables: withEnvironment(connection()) },
    provider: { description: firstParagraph(PROVIDER.description), inputProperties: connection() },
    types: byToken(types()),
    resources: byToken({ AgentLogConfig: resource(names), AgentLogConfigs: fleet(names) }),
    functions: byToken({ getAgentLogConfig: readOne(names), getAgentLogConfigs: readMany(names) }),
    language: {
      nodejs: {
        packageName: "pulumi-agent-log-config-sdk",
        packageDescription: description,
        readme,
        respectSchemaVersion: true,
      },
      python: { readme, pyproject: { enabled: true }, respectSchemaVersion: true },
      go: { importBasePath: names.go, generateResourceContainerTypes: true, respectSchemaVersion: true },
      csharp: {
        rootNamespace: parentOf(names.csharp),
        namespaces: { [CONFIGURATION_NAMESPACE]: "AgentLogConfig" },
        respectSchemaVersion: true,
      },
      java: { basePackage: parentOf(names.java), buildFiles: "gradle" },
    },
  };
}

const SETTINGS_DOC = docComments("sdk/model/agent-log-settings.ts", "AgentLogSettings");
const THRESHOLDS_DOC = docComments("sdk/model/agent-log-settings.ts", "LogRotate");
const CONNECTION_DOC = docComments("sdk/model/connection-options.ts", "ConnectionOptions");
const READ_DOC = docComments("sdk/model/read-arguments.ts", "ReadArguments");
const RESULT_DOC = docComments("sdk/model/agent-log-config-result.ts", "AgentLogConfigResult");
const VERSION_DOC = docComments("sdk/model/agent-log-config-result.ts", "ServiceVersion");
const MANY_DOC = docComments("sdk/connection/read-many.ts", "GetAgentLogConfigsArgs");
const MANY_RESULT_DOC = docComments("sdk/connection/read-many.ts", "ReadManyResult");
const FAILURE_DOC = docComments("sdk/connection/read-many.ts", "ReadFailure");
const ERROR_DOC = docComments("sdk/model/errors.ts", "AgentLogConfigError");
const OF_ERROR = Object.entries(ERROR_DOC.members).filter(([name]) => ["code", "message", "temporary"].includes(name));
const FAILURE_MEMBERS = { ...FAILURE_DOC.members, ...Object.fromEntries(OF_ERROR) };
const RESOURCE = docComments("sdk/program/agent-log-config.ts", "AgentLogConfig");
const ARGUMENTS = docComments("sdk/program/agent-log-config.ts", "AgentLogConfigArgs");
const FLEET = docComments("sdk/program/agent-log-configs.ts", "AgentLogConfigs");
const FLEET_SETTINGS = docComments("sdk/program/agent-log-configs.ts", "FleetSettings");
const FLEET_ARGUMENTS = docComments("sdk/program/agent-log-configs.ts", "AgentLogConfigsArgs");
const EXPECTED = docComments("sdk/program/expected-settings.ts", "ExpectedSettings");
const EXPECTED_THRESHOLDS = docComments("sdk/program/expected-settings.ts", "ExpectedLogRotate");
/** The SDK for Go has no type for a number or a range, so that the text has to say it. */
const EXPECTED_MEMBERS = Object.fromEntries(
  Object.entries(THRESHOLDS_DOC.members).map(([name, { description, optional }]) => [
    name,
    { description: `${description} A number (in Go a \`pulumi.Float64\`), or an \`ExpectedRangeArgs\`.`, optional },
  ]),
);
/** The elements of a list have no type of their own: see elementOf. */
const NOT_SET = {
  description: `The settings that must not be set, of these: ${expectedPathSchema.options.map((path) => `"${path}"`).join(", ")}.`,
  optional: true,
};
const RANGE = docComments("sdk/program/expected-settings.ts", "ExpectedRange");
const PROVIDER = docComments("sdk/program/provider.ts", "Provider");
const FUNCTION = docComments("sdk/program/get-agent-log-config.ts", "getAgentLogConfig");
const FUNCTION_OF_MANY = docComments("sdk/connection/read-many.ts", "readMany");

function byToken(entities: Readonly<Record<string, Schema>>): Schema {
  return Object.fromEntries(Object.entries(entities).map(([entity, content]) => [token(entity), content]));
}

const root = path.resolve(import.meta.dirname, "../..");

/** Returns the Registry's page about the installation, which says what a user of a generated SDK needs first. */
function sdkReadme(names: OwnedNames): string {
  const page = readFileSync(path.join(root, "docs/installation-configuration.md"), "utf8");
  return renamed(page.replace(/^---.*?^---\n/ms, "# Agent Log Config\n"), names);
}

/** Reads examples in all languages. They have the names that packages have without a repository. */
function readExamples(file: string, names: OwnedNames): string {
  return renamed(readFileSync(path.join(import.meta.dirname, "examples", file), "utf8").trim(), names);
}

function renamed(text: string, names: OwnedNames): string {
  return rename(text, packageIdentity().names, names);
}

/** What has a name of its own in the schema. */
const NAMES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [readArgumentsSchema.shape.agent, "AgentKind"],
  [resourceArgumentsSchema.shape.whenUnexpected.unwrap(), "WhenUnexpected"],
  [resourceArgumentsSchema.shape.whenUnavailable.unwrap(), "WhenUnavailable"],
  [logRotateSchema, "LogRotate"],
  [expectedSettingsSchema, "ExpectedSettings"],
  [expectedThresholdsSchema, "ExpectedLogRotate"],
  [expectedRangeSchema, "ExpectedRange"],
]);

/** The kind of a value, by its zod schema. */
function kindOf(schema: unknown): Schema {
  const name = NAMES.get(schema);
  if (name !== undefined) return schema instanceof z.ZodEnum ? choiceOrText(name) : reference(name);
  if (schema instanceof z.ZodOptional) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.filter((each) => !(each instanceof z.ZodUndefined || each instanceof z.ZodNull));
    const [only, ...others] = options.map(kindOf);
    return others.length === 0 && only !== undefined ? only : { oneOf: options.map(kindOf) };
  }
  if (schema instanceof z.ZodString) return TEXT;
  if (schema instanceof z.ZodNumber) return schema.isInt ? INTEGER : NUMBER;
  if (schema instanceof z.ZodBoolean) return BOOLEAN;
  if (schema instanceof z.ZodArray) return listOf(elementOf(schema.element));
  if (schema instanceof z.ZodRecord) return { type: "object", additionalProperties: { $ref: "pulumi.json#/Any" } };
  throw new Error("The schema has a kind that Pulumi's has not.");
}

/** C# and Java do not take a text or a choice for an element of a list, and Python takes the choice for a text. */
function elementOf(schema: unknown): Schema {
  return schema instanceof z.ZodEnum ? TEXT : kindOf(schema);
}

/** Typed languages refuse a plain text where only the choice is allowed. */
function choiceOrText(name: string): Schema {
  return { ...TEXT, oneOf: [TEXT, reference(name)] };
}

function kindsOf({ shape }: z.ZodObject): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, kindOf(schema)]));
}

function resource(names: OwnedNames): Schema {
  const { projectId, agent, ...others } = kindsOf(resourceArgumentsSchema);
  const argumentTypes = {
    projectId: { ...projectId, willReplaceOnChanges: true },
    agent: { ...agent, willReplaceOnChanges: true },
    ...others,
  };
  const outputTypes: Readonly<Partial<Record<Exclude<keyof AgentLogConfig, InheritedName>, Schema>>> = {
    projectId: TEXT,
    agent: reference("AgentKind"),
    ...settings(),
    whenUnavailable: reference("WhenUnavailable"),
    unchangedSince: TEXT,
  };
  return {
    description: `${firstParagraph(RESOURCE.description)}\n\n${readExamples("agent-log-config.md", names)}`,
    inputProperties: documented(argumentTypes, ARGUMENTS.members),
    requiredInputs: requiredOf(ARGUMENTS.members),
    properties: documented(outputTypes, { ...SETTINGS_DOC.members, ...RESOURCE.members }),
    required: ["projectId", "agent"],
  };
}

function fleet(names: OwnedNames): Schema {
  const { projectId: _, agent: __, ...others } = kindsOf(resourceArgumentsSchema);
  const agents = listOf(choiceOrText("AgentKind"));
  const argumentTypes = { projectIds: listOf(TEXT), projects: mapOf(TEXT), agents, ...others };
  return {
    isComponent: true,
    description: `${firstParagraph(FLEET.description)}\n\n${readExamples("agent-log-configs.md", names)}`,
    inputProperties: documented(argumentTypes, { ...ARGUMENTS.members, ...FLEET_ARGUMENTS.members }),
    requiredInputs: requiredOf(FLEET_ARGUMENTS.members),
    properties: documented({ configs: mapOf(reference("FleetSettings")) }, FLEET.members),
    required: ["configs"],
  };
}

/** What every resource has. */
type InheritedName = "urn" | "id" | "getProvider";

function readOne(names: OwnedNames): Schema {
  return {
    description: `${firstSentence(FUNCTION.description)} Secret settings are outputs of the resource alone.\n\n${readExamples("get-agent-log-config.md", names)}`,
    inputs: objectType(kindsOf(readArgumentsSchema), READ_DOC.members),
    outputs: result(),
  };
}

function readMany(names: OwnedNames): Schema {
  const argumentTypes: Readonly<Record<keyof GetAgentLogConfigsArgs, Schema>> = {
    projectIds: listOf(TEXT),
    agents: listOf(TEXT),
  };
  const resultTypes: Readonly<Record<keyof ReadManyResult<unknown>, Schema>> = {
    configs: listOf(reference("AgentLogConfigResult")),
    failures: listOf(reference("ReadFailure")),
  };
  return {
    description: `${firstParagraph(FUNCTION_OF_MANY.description)}\n\n${readExamples("get-agent-log-configs.md", names)}`,
    inputs: objectType(argumentTypes, MANY_DOC.members),
    outputs: objectType(resultTypes, MANY_RESULT_DOC.members),
  };
}

/** The result of a read without secrets, which the SDKs of several languages do not keep secret in functions. */
function result(): Schema {
  return settingsOfAgent({ serviceVersion: reference("ServiceVersion") });
}

function settingsOfAgent(others: Readonly<Record<string, Schema>> = {}): Schema {
  const resultTypes: Readonly<Partial<Record<keyof AgentLogConfigResult | keyof FleetSettings, Schema>>> = {
    id: TEXT,
    projectId: TEXT,
    agent: reference("AgentKind"),
    ...Object.fromEntries(Object.entries(settings()).filter(([name]) => name !== SECRET_SETTING)),
    ...others,
  };
  const members = { ...SETTINGS_DOC.members, ...RESULT_DOC.members, ...FLEET_SETTINGS.members };
  const properties = documented(resultTypes, members);
  return { type: "object", properties, required: ["id", "projectId", "agent"] };
}

function types(): Readonly<Record<string, Schema>> {
  const versionParts: Readonly<Record<keyof ServiceVersion, Schema>> = { gitHash: TEXT, versionString: TEXT };
  const failure: Readonly<Record<keyof ReadFailure, Schema>> = {
    projectId: TEXT,
    agent: reference("AgentKind"),
    code: TEXT,
    message: TEXT,
    temporary: BOOLEAN,
  };
  const { whenUnexpected, whenUnavailable } = resourceArgumentsSchema.shape;
  const named: Readonly<Record<string, Schema>> = {
    AgentKind: choice("An agent whose log settings the service has.", readArgumentsSchema.shape.agent),
    WhenUnexpected: choice(ARGUMENTS.members["whenUnexpected"]?.description, whenUnexpected.unwrap()),
    WhenUnavailable: choice(ARGUMENTS.members["whenUnavailable"]?.description, whenUnavailable.unwrap()),
    LogRotate: optionalType(THRESHOLDS_DOC, kindsOf(logRotateSchema)),
    ExpectedSettings: optionalType(
      { ...EXPECTED, members: { ...EXPECTED.members, notSet: NOT_SET } },
      kindsOf(expectedSettingsSchema),
    ),
    ExpectedLogRotate: optionalType(
      { ...EXPECTED_THRESHOLDS, members: EXPECTED_MEMBERS },
      kindsOf(expectedThresholdsSchema),
    ),
    ExpectedRange: optionalType(RANGE, kindsOf(expectedRangeSchema)),
    ServiceVersion: optionalType(VERSION_DOC, versionParts),
    AgentLogConfigResult: { description: RESULT_DOC.description, ...result() },
    FleetSettings: { description: FLEET_SETTINGS.description, ...settingsOfAgent({ name: TEXT }) },
    ReadFailure: {
      description: FAILURE_DOC.description,
      ...objectType(failure, FAILURE_MEMBERS),
    },
  };
  return named;
}

function settings(): Readonly<Record<string, Schema>> {
  const kinds = Object.entries(kindsOf(agentLogSettingsSchema));
  return Object.fromEntries(
    kinds.map(([name, kind]) => [name, name === SECRET_SETTING ? { ...kind, secret: true } : kind]),
  );
}

function connection(): Readonly<Record<string, Schema>> {
  const kinds = kindsOf(connectionOptionsSchema);
  const found = CONNECTION_SETTING_NAMES.map((name) => [
    name,
    { ...kinds[name], ...(name === SECRET_CONNECTION_SETTING ? { secret: true } : {}) },
  ]);
  return documented(Object.fromEntries(found), CONNECTION_DOC.members);
}

/** The variables of secrets are left out: a generated SDK would write them into the state. */
function withEnvironment(settings: Readonly<Record<string, Schema>>): Schema {
  const found = CONNECTION_SETTING_NAMES.map((name) => {
    const environment = { defaultInfo: { environment: [environmentVariable(name)] } };
    return [name, { ...settings[name], ...(name === SECRET_CONNECTION_SETTING ? {} : environment) }];
  });
  return Object.fromEntries(found);
}

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const NUMBER = { type: "number" };
const INTEGER = { type: "integer" };

function token(name: string): string {
  return `${CONFIGURATION_NAMESPACE}:index:${name}`;
}

function reference(name: string): Schema {
  return { $ref: `#/types/${token(name)}` };
}

function listOf(items: Schema): Schema {
  return { type: "array", items };
}

function mapOf(additionalProperties: Schema): Schema {
  return { type: "object", additionalProperties };
}

function choice(description: string | undefined, { options }: z.ZodEnum): Schema {
  const named = options.map((value) => ({ name: pascalCase(String(value)), value }));
  return { description, type: "string", enum: named };
}

function pascalCase(text: string): string {
  return text.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A type whose members may all be left out. */
function optionalType({ description, members }: Declaration, types: Readonly<Record<string, Schema>>): Schema {
  return { description: firstParagraph(description), type: "object", properties: documented(types, members) };
}

type Declaration = ReturnType<typeof docComments>;

function objectType(types: Readonly<Record<string, Schema>>, members: Readonly<Record<string, Documented>>): Schema {
  return { type: "object", properties: documented(types, members), required: requiredOf(members) };
}

function requiredOf(members: Readonly<Record<string, Documented>>): string[] {
  return Object.entries(members).flatMap(([name, { optional }]) => (optional ? [] : [name]));
}

function documented(
  types: Readonly<Record<string, Schema>>,
  members: Readonly<Record<string, Documented>>,
): Readonly<Record<string, Schema>> {
  const described = Object.entries(types).map(([name, type]) => {
    const description = members[name]?.description;
    if (!description) throw new Error(`${name} has no doc comment`);
    return [name, { ...type, description }];
  });
  return Object.fromEntries(described);
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /)[0] ?? text;
}

function firstParagraph(text: string): string {
  return text.split("\n\n")[0] ?? text;
}

function parentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
