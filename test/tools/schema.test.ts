import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { SECRET_CONNECTION_SETTING } from "../../sdk/model/connection-options.ts";
import {
  CONFIGURATION_NAMESPACE,
  CONNECTION_SETTING_NAMES,
  configurationKey,
  environmentVariable,
} from "../../sdk/reading/connection-settings.ts";
import { expectedPathSchema } from "../../sdk/record/expectations.ts";
import { isObject } from "../../sdk/text/json.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { requireHost } from "../plugin/require-host.ts";
import { SCHEMA_FILE, schemaPart } from "./schema-part.ts";

const PAGE = readFileSync(path.join(import.meta.dirname, "../../docs/installation-configuration.md"), "utf8");
const LANGUAGES = ["typescript", "python", "csharp", "go", "java", "yaml"];

function partAt(place: string): Readonly<Record<string, unknown>> {
  return schemaPart(...place.split("/").slice(1));
}

/** Every place in the schema whose value has a property of this name. */
function placesWith(name: string, part: unknown = schemaPart(), place = ""): string[] {
  if (!isObject(part)) return [];
  const own = name in part ? [place] : [];
  return [...own, ...Object.entries(part).flatMap(([key, value]) => placesWith(name, value, `${place}/${key}`))];
}

const settings = ["baseUrl", "publicKey", "caCertificate", "allowHttp", "timeoutSeconds", "maxRetries"];
const resource = "/resources/agent-log-config:index:AgentLogConfig";

it.each([
  {
    property: "secret",
    places: [
      "/config/variables/privateKey",
      "/provider/inputProperties/privateKey",
      "/provider/properties/privateKey",
      `${resource}/properties/configOverrides`,
      `${resource}s/properties/configOverrides`,
    ],
  },
  {
    property: "willReplaceOnChanges",
    places: ["projectId", "agent"].map((name) => `${resource}/inputProperties/${name}`),
  },
  // The environment variables are named in the configuration only, and never that of the key.
  { property: "defaultInfo", places: settings.map((name) => `/config/variables/${name}`) },
])("has $property in these places and no others", ({ property, places }) => {
  expect(placesWith(property)).toEqual(places);
});

it("counts retries in whole numbers, as the settings do", () => {
  const whole = placesWith("type").filter((place) => partAt(place)["type"] === "integer");
  expect(whole).toEqual(["/config/variables/maxRetries", "/provider/inputProperties/maxRetries"]);
});

// The build adds the version, and the Registry takes the tag of a release.
it("agrees with package.json and the page about the installation, and has no version", () => {
  const description = `${manifest.description}.`;
  const readme = PAGE.replace(/^---.*?^---\n/ms, "# Agent Log Config\n");
  const { go, csharp, java, ...others } = schemaPart("language");
  expect(others).toMatchObject({ nodejs: { packageDescription: description, readme }, python: { readme } });
  const { homepage, license } = manifest;
  expect(schemaPart()).toMatchObject({ name: CONFIGURATION_NAMESPACE, description, homepage, license });
  expect(schemaPart()).not.toHaveProperty("version");
  const names = Array.from(PAGE.matchAll(/^\* (?:Go|\.NET|Java): `(.*)`$/gm), ([, name = ""]) => name);
  const [module, namespace, javaPackage] = names;
  expect([go, csharp, java]).toMatchObject([
    { importBasePath: module },
    { rootNamespace: namespace?.replace(/\.AgentLogConfig$/, "") },
    { basePackage: javaPackage?.replace(/\.agentlogconfig$/, "") },
  ]);
});

it("says what may be expected not to be set, and what a threshold takes, which the SDK for Go has no types for", () => {
  const { description } = schemaPart("types", "agent-log-config:index:ExpectedSettings", "properties", "notSet");
  const names = Array.from(String(description).matchAll(/"([\w.]+)"/g), ([, name]) => name);
  expect(names).toEqual(expectedPathSchema.options);
  const thresholds = Object.values(schemaPart("types", "agent-log-config:index:ExpectedLogRotate", "properties"));
  expect(thresholds).toHaveLength(5);
  for (const threshold of thresholds) {
    const takes = "A number, or an `ExpectedRangeArgs`.";
    expect(threshold).toMatchObject({ description: expect.stringContaining(takes) });
  }
});

it("takes a text for an agent: the choice beside it for a single resource, and the text alone in the list of a fleet", () => {
  const { agent } = schemaPart("resources", "agent-log-config:index:AgentLogConfig", "inputProperties");
  const { agents } = schemaPart("resources", "agent-log-config:index:AgentLogConfigs", "inputProperties");
  const kind = [{ type: "string" }, { $ref: "#/types/agent-log-config:index:AgentKind" }];
  expect([agent, agents]).toEqual([
    expect.objectContaining({ oneOf: kind }),
    expect.objectContaining({ type: "array", items: { type: "string" } }),
  ]);
});

it("has whole sentences as texts, which never promise null", () => {
  const texts = placesWith("description").map((place) => partAt(place)["description"]);
  const described = texts.map((text) => String(text).split("\n\n{{% examples")[0] ?? "");
  expect(described.length).toBeGreaterThan(80);
  expect(described.filter((text) => !/^[A-Z][\s\S]*\.$/.test(text) || /\bnull\b/.test(text))).toEqual([]);
});

it("names no property in a text, since each language spells them in its own way, and references are not resolved in all", () => {
  const places = placesWith("properties").concat(placesWith("inputProperties"));
  const names = places.flatMap((place) => {
    const { properties, inputProperties } = partAt(place);
    return [properties, inputProperties].flatMap((found) => (isObject(found) ? Object.keys(found) : []));
  });
  const [text] = JSON.stringify(schemaPart()).split('"language":');
  expect(names.filter((name) => /[A-Z]/.test(name) && text?.includes(`\`${name}\``))).toEqual([]);
  expect(text).not.toContain("{{% ref");
});

it.each(CONNECTION_SETTING_NAMES)("has the variable of %s, and a row for it on the Registry's page", (setting) => {
  const { type, description, defaultInfo } = schemaPart("config", "variables", setting);
  const variable = environmentVariable(setting);
  if (setting !== SECRET_CONNECTION_SETTING) expect(defaultInfo).toEqual({ environment: [variable] });
  const value = /Default: (.*)\.$/.exec(String(description))?.[1];
  const shown = value === undefined ? "(?:required|none)" : `\`${value}\``;
  const cells = [`\`${configurationKey(setting)}\``, `${type}(?:, secret)?`, shown, `\`${variable}\``];
  expect(PAGE).toMatch(new RegExp(`^\\| ${cells.join(" \\| ")} \\| `, "m"));
});

it.each(["resources", "functions"])("has examples in every language for all %s", (kind) => {
  for (const { description } of Object.values(schemaPart(kind)).filter(isObject)) {
    const examples = String(description).split("{{% example %}}").slice(1);
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      const fences = example.split("{{% /example %}}")[0]?.matchAll(/^```(\w+)$/gm) ?? [];
      expect(Array.from(fences, ([, language]) => language)).toEqual(LANGUAGES);
    }
    expect(description).toMatch(
      /\{\{% examples %\}\}\n## Example Usage[\s\S]*\{\{% \/example %\}\}\n\{\{% \/examples %\}\}$/m,
    );
  }
});

it("passes pulumi schema check", async (context) => {
  const { command } = requireHost(context, "nodejs");
  const home = temporaryFolder("schema");
  const env = { ...process.env, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const args = ["schema", "check", SCHEMA_FILE];
  await expect(promisify(execFile)(command, args, { env })).resolves.toBeDefined();
});
