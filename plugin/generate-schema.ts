import { readFileSync } from "node:fs";
import path from "node:path";
import { AGENTS } from "../sdk/client/agent-log-config-id.ts";
import type { AgentLogConfigResult, ServiceVersion } from "../sdk/client/agent-log-config-result.ts";
import { SETTINGS, THRESHOLDS } from "../sdk/client/agent-log-settings.ts";
import { CONNECTION_OPTIONS } from "../sdk/client/connection-options.ts";
import type { ReadArguments } from "../sdk/client/read-arguments.ts";
import type { AgentLogConfig } from "../sdk/program/agent-log-config.ts";
import type { AgentLogConfigArgs } from "../sdk/program/agent-log-config-args.ts";
import type { ExpectedRange, ExpectedSettings } from "../sdk/program/expected-settings.ts";
import { CHOICES } from "../sdk/provider/resource-lifecycle.ts";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTINGS,
  environmentVariable,
} from "../sdk/shared/connection-settings.ts";
import type { GetAgentLogConfigsArgs, ReadFailure, ReadManyResult } from "../sdk/shared/read-many.ts";
import { type Documented, docComments } from "./doc-comments.ts";

/** What the schema takes from package.json. */
export interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository?: { readonly url: string } | undefined;
}

/** A part of the schema: a JSON object. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Generates the schema that the SDKs of all languages are generated from. Names, kinds and texts are those of the TypeScript
 * declarations, so that nothing is written down twice.
 */
export function generateSchema({ version, description, license, homepage, repository }: Manifest): Schema {
  const address = repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
  const location = address === undefined ? {} : { repository: address, pluginDownloadURL: downloadAddress(address) };
  return {
    name: CONFIGURATION_NAMESPACE,
    displayName: "Agent Log Config",
    version,
    description,
    keywords: ["kind/native", "category/monitoring"],
    publisher: "pulumi-agent-log-config",
    homepage,
    license,
    ...location,
    config: { variables: withEnvironment(connection()) },
    provider: { description: firstParagraph(PROVIDER.description), inputProperties: connection() },
    types: types(),
    resources: { [token("AgentLogConfig")]: resource() },
    functions: { [token("getAgentLogConfig")]: readOne(), [token("getAgentLogConfigs")]: readMany() },
    language: {
      nodejs: { respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true, importBasePath: `${modulePath(address)}/sdk/go/agentlogconfig` },
      csharp: { respectSchemaVersion: true, namespaces: { [CONFIGURATION_NAMESPACE]: "AgentLogConfig" } },
      java: { buildFiles: "gradle" },
    },
  };
}

const SETTINGS_DOC = docComments("sdk/client/agent-log-settings.ts", "AgentLogSettings");
const THRESHOLDS_DOC = docComments("sdk/client/agent-log-settings.ts", "LogRotate");
const CONNECTION_DOC = docComments("sdk/client/connection-options.ts", "ConnectionOptions");
const READ_DOC = docComments("sdk/client/read-arguments.ts", "ReadArguments");
const RESULT_DOC = docComments("sdk/client/agent-log-config-result.ts", "AgentLogConfigResult");
const VERSION_DOC = docComments("sdk/client/agent-log-config-result.ts", "ServiceVersion");
const MANY_DOC = docComments("sdk/shared/read-many.ts", "GetAgentLogConfigsArgs");
const MANY_RESULT_DOC = docComments("sdk/shared/read-many.ts", "ReadManyResult");
const FAILURE_DOC = docComments("sdk/shared/read-many.ts", "ReadFailure");
const RESOURCE = docComments("sdk/program/agent-log-config.ts", "AgentLogConfig");
const ARGUMENTS = docComments("sdk/program/agent-log-config-args.ts", "AgentLogConfigArgs");
const EXPECTED = docComments("sdk/program/expected-settings.ts", "ExpectedSettings");
const EXPECTED_THRESHOLDS = docComments("sdk/program/expected-settings.ts", "ExpectedLogRotate");
const RANGE = docComments("sdk/program/expected-settings.ts", "ExpectedRange");
const PROVIDER = docComments("sdk/program/provider.ts", "Provider");
const FUNCTION = docComments("sdk/program/get-agent-log-config.ts", "getAgentLogConfig");
const FUNCTION_OF_MANY = docComments("sdk/shared/read-many.ts", "readMany");

function resource(): Schema {
  const argumentTypes: Readonly<Record<keyof AgentLogConfigArgs, Schema>> = {
    projectId: { ...TEXT, willReplaceOnChanges: true },
    agent: { ...reference("AgentKind"), willReplaceOnChanges: true },
    envelope: BOOLEAN,
    pretty: BOOLEAN,
    expect: reference("ExpectedSettings"),
    whenUnexpected: reference("WhenUnexpected"),
    whenUnavailable: reference("WhenUnavailable"),
  };
  const outputTypes: Readonly<Record<Exclude<keyof AgentLogConfig, InheritedName>, Schema>> = {
    projectId: TEXT,
    agent: reference("AgentKind"),
    ...settingTypes(),
    whenUnavailable: reference("WhenUnavailable"),
    lastReadAt: TEXT,
  };
  return {
    description: `${firstParagraph(RESOURCE.description)}\n\n${examples("agent-log-config.md")}`,
    inputProperties: documented(argumentTypes, ARGUMENTS.members),
    requiredInputs: requiredOf(ARGUMENTS.members),
    properties: documented(outputTypes, RESOURCE.members),
    required: ["projectId", "agent", "lastReadAt"],
  };
}

/** What every resource has. */
type InheritedName = "urn" | "id" | "getProvider";

function readOne(): Schema {
  const argumentTypes: Readonly<Record<keyof ReadArguments, Schema>> = {
    projectId: TEXT,
    agent: reference("AgentKind"),
    envelope: BOOLEAN,
    pretty: BOOLEAN,
  };
  return {
    description: `${firstSentence(FUNCTION.description)} The secret \`configOverrides\` is an output of the resource alone.\n\n${examples("get-agent-log-config.md")}`,
    inputs: objectType(argumentTypes, READ_DOC.members),
    outputs: result(),
  };
}

function readMany(): Schema {
  const argumentTypes: Readonly<Record<keyof GetAgentLogConfigsArgs, Schema>> = {
    projectIds: listOf(TEXT),
    agents: listOf(reference("AgentKind")),
  };
  const resultTypes: Readonly<Record<keyof ReadManyResult<unknown>, Schema>> = {
    configs: listOf(reference("AgentLogConfigResult")),
    failures: listOf(reference("ReadFailure")),
  };
  return {
    description: `${firstParagraph(FUNCTION_OF_MANY.description)}\n\n${examples("get-agent-log-configs.md")}`,
    inputs: objectType(argumentTypes, MANY_DOC.members),
    outputs: objectType(resultTypes, MANY_RESULT_DOC.members),
  };
}

/** The result of a read without the secret, which the SDKs of several languages do not keep secret in functions. */
function result(): Schema {
  const { configOverrides: _, ...settings } = settingTypes();
  const resultTypes: Readonly<Record<Exclude<keyof AgentLogConfigResult, "configOverrides">, Schema>> = {
    id: TEXT,
    projectId: TEXT,
    agent: reference("AgentKind"),
    ...settings,
    serviceVersion: reference("ServiceVersion"),
  };
  const properties = documented(resultTypes, { ...SETTINGS_DOC.members, ...RESULT_DOC.members });
  return { type: "object", properties, required: ["id", "projectId", "agent"] };
}

function types(): Schema {
  const thresholds = Object.keys(THRESHOLDS);
  const expectedThreshold = { oneOf: [NUMBER, reference("ExpectedRange")] };
  const expected: Readonly<Record<keyof ExpectedSettings, Schema>> = {
    logPath: TEXT,
    logPathWindows: TEXT,
    logRotate: reference("ExpectedLogRotate"),
    username: TEXT,
  };
  const range: Readonly<Record<keyof ExpectedRange, Schema>> = { atLeast: NUMBER, atMost: NUMBER };
  const versionParts: Readonly<Record<keyof ServiceVersion, Schema>> = { gitHash: TEXT, versionString: TEXT };
  const failure: Readonly<Record<keyof ReadFailure, Schema>> = {
    projectId: TEXT,
    agent: TEXT,
    code: TEXT,
    message: TEXT,
    temporary: BOOLEAN,
  };
  const named: Readonly<Record<string, Schema>> = {
    AgentKind: choice("An agent whose log settings the service has.", AGENTS),
    WhenUnexpected: choice(ARGUMENTS.members["whenUnexpected"]?.description, CHOICES.whenUnexpected),
    WhenUnavailable: choice(ARGUMENTS.members["whenUnavailable"]?.description, CHOICES.whenUnavailable),
    LogRotate: {
      description: THRESHOLDS_DOC.description,
      type: "object",
      properties: documented(fill(thresholds, NUMBER), THRESHOLDS_DOC.members),
    },
    ExpectedSettings: {
      description: EXPECTED.description,
      type: "object",
      properties: documented(expected, SETTINGS_DOC.members),
    },
    ExpectedLogRotate: {
      description: EXPECTED_THRESHOLDS.description,
      type: "object",
      properties: documented(fill(thresholds, expectedThreshold), THRESHOLDS_DOC.members),
    },
    ExpectedRange: { description: RANGE.description, ...objectType(range, RANGE.members) },
    ServiceVersion: {
      description: VERSION_DOC.description,
      type: "object",
      properties: documented(versionParts, VERSION_DOC.members),
    },
    AgentLogConfigResult: { description: RESULT_DOC.description, ...result() },
    ReadFailure: { description: FAILURE_DOC.description, ...objectType(failure, FAILURE_DOC.members) },
  };
  return Object.fromEntries(Object.entries(named).map(([name, type]) => [token(name), type]));
}

function settingTypes(): Readonly<Record<keyof typeof SETTINGS, Schema>> {
  const kinds = {
    text: TEXT,
    thresholds: reference("LogRotate"),
    "secret map": { type: "object", additionalProperties: { $ref: "pulumi.json#/Any" }, secret: true },
  };
  const { logPath, logPathWindows, logRotate, username, configOverrides } = SETTINGS;
  return {
    logPath: kinds[logPath],
    logPathWindows: kinds[logPathWindows],
    logRotate: kinds[logRotate],
    username: kinds[username],
    configOverrides: kinds[configOverrides],
  };
}

function connection(): Readonly<Record<string, Schema>> {
  const kinds = { text: TEXT, "secret text": { ...TEXT, secret: true }, boolean: BOOLEAN, number: NUMBER };
  const found = CONNECTION_SETTINGS.map((name) => [name, kinds[CONNECTION_OPTIONS[name]]] as const);
  return documented(Object.fromEntries(found), CONNECTION_DOC.members);
}

/** The key's variable is left out: a generated SDK would write the key into the state. */
function withEnvironment(settings: Readonly<Record<string, Schema>>): Schema {
  const found = CONNECTION_SETTINGS.map((name) => {
    const environment = { defaultInfo: { environment: [environmentVariable(name)] } };
    return [name, { ...settings[name], ...(name === "privateKey" ? {} : environment) }];
  });
  return Object.fromEntries(found);
}

const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const NUMBER = { type: "number" };

function token(name: string): string {
  return `${CONFIGURATION_NAMESPACE}:index:${name}`;
}

function reference(name: string): Schema {
  return { $ref: `#/types/${token(name)}` };
}

function listOf(items: Schema): Schema {
  return { type: "array", items };
}

function choice(description: string | undefined, values: readonly string[]): Schema {
  const named = values.map((value) => ({ name: `${value.charAt(0).toUpperCase()}${value.slice(1)}`, value }));
  return { description, type: "string", enum: named };
}

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

function fill(names: readonly string[], type: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /)[0] ?? text;
}

function firstParagraph(text: string): string {
  return text.split("\n\n")[0] ?? text;
}

function examples(file: string): string {
  return readFileSync(path.join(import.meta.dirname, "examples", file), "utf8").trim();
}

/** Where the engine looks for the archives of a release. */
function downloadAddress(repository: string): string {
  return repository.replace(/^https:\/\/github\.com\//, "github://api.github.com/");
}

/** Go names modules after the place of their source. */
function modulePath(repository: string | undefined): string {
  return repository?.replace(/^https:\/\//, "") ?? "example.com/pulumi-agent-log-config";
}
