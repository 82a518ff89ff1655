import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import {
  CONNECTION_SETTING_NAMES,
  configurationKey,
  environmentVariable,
} from "../../sdk/connection/connection-settings.ts";
import { isObject } from "../../sdk/model/is-object.ts";
import { expectedPathSchema } from "../../sdk/record/unmet-expectations.ts";
import { generateSchema } from "../../tools/schema/generate-schema.ts";
import type { Manifest } from "../../tools/schema/package-identity.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { requireHost } from "../plugin/require-host.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

const MANIFEST: Manifest = {
  version: "1.2.3",
  description: "Text",
  license: "Apache-2.0",
  homepage: "https://example.com",
};
const schema: unknown = JSON.parse(JSON.stringify(generateSchema(MANIFEST)));
const LANGUAGES = ["typescript", "python", "csharp", "go", "java", "yaml"];

function at(...keys: readonly string[]): Readonly<Record<string, unknown>> {
  const found = keys.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), schema);
  if (!isObject(found)) throw new Error(`the schema has no ${keys.join(".")}`);
  return found;
}

/** Every place in the schema whose value has a property of this name. */
function placesWith(name: string, part: unknown = schema, place = ""): string[] {
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
      `${resource}/properties/configOverrides`,
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

it("says where releases are, and takes names that its owner has, once the repository is public", () => {
  const repository = { url: "git+https://github.com/some-owner/agent-log-config.git" };
  const published = generateSchema({ ...MANIFEST, repository });
  expect(published).toMatchObject({
    repository: "https://github.com/some-owner/agent-log-config",
    pluginDownloadURL: "github://api.github.com/some-owner/agent-log-config",
    logoUrl: "https://raw.githubusercontent.com/some-owner/agent-log-config/main/docs/logo.png",
    language: {
      go: { importBasePath: "github.com/some-owner/agent-log-config/sdk/go/agentlogconfig" },
      csharp: { rootNamespace: "SomeOwner" },
      java: { basePackage: "io.github.some_owner" },
    },
  });
  expect(JSON.stringify(published)).not.toMatch(/example\.com\/pulumi|com\.example|Example\.Agent/);
  expect(schema).not.toHaveProperty("pluginDownloadURL");
});

it("says what may be expected not to be set, and what a threshold takes, which the SDK for Go has no types for", () => {
  const { description } = at("types", "agent-log-config:index:ExpectedSettings", "properties", "notSet");
  const names = Array.from(String(description).matchAll(/"([\w.]+)"/g), ([, name]) => name);
  expect(names).toEqual(expectedPathSchema.options);
  const thresholds = Object.values(at("types", "agent-log-config:index:ExpectedLogRotate", "properties"));
  expect(thresholds).toHaveLength(5);
  for (const threshold of thresholds) {
    const takes = "A number (in Go a `pulumi.Float64`), or an `ExpectedRangeArgs`.";
    expect(threshold).toMatchObject({ description: expect.stringContaining(takes) });
  }
});

it("names the agents of a fleet as those of a single resource, and takes a text for them", () => {
  const { agent } = at("resources", "agent-log-config:index:AgentLogConfig", "inputProperties");
  const { agents } = at("resources", "agent-log-config:index:AgentLogConfigs", "inputProperties");
  const kind = [{ type: "string" }, { $ref: "#/types/agent-log-config:index:AgentKind" }];
  expect([agent, agents]).toMatchObject([{ oneOf: kind }, { type: "array", items: { oneOf: kind } }]);
});

it("has whole sentences as texts, which never promise null", () => {
  const texts = placesWith("description").map((place) => at(...place.split("/").slice(1))["description"]);
  const described = texts.map((text) => String(text).split("\n\n{{% examples")[0] ?? "");
  expect(described.length).toBeGreaterThan(80);
  expect(described.filter((text) => !/^[A-Z][\s\S]*\.$/.test(text) || /\bnull\b/.test(text))).toEqual([]);
});

it("names no property in a text, since each language spells them in its own way, and references are not resolved in all", () => {
  const places = placesWith("properties").concat(placesWith("inputProperties"));
  const names = places.flatMap((place) => {
    const { properties, inputProperties } = at(...place.split("/").slice(1));
    return [properties, inputProperties].flatMap((found) => (isObject(found) ? Object.keys(found) : []));
  });
  const [text] = JSON.stringify(schema).split('"language":');
  expect(names.filter((name) => /[A-Z]/.test(name) && text?.includes(`\`${name}\``))).toEqual([]);
  expect(text).not.toContain("{{% ref");
});

it("is committed as it is generated", async () => {
  const manifest = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
  const committed = JSON.parse(await readFile(path.join(ROOT, "tools/schema/schema.json"), "utf8"));
  const generated = JSON.parse(JSON.stringify({ ...generateSchema(manifest), version: undefined }));
  expect(generated, "run `npm run schema`").toEqual(committed);
});

it("has a page for the Registry with the key, the type, the default and the variable of every setting", async () => {
  const page = await readFile(path.join(ROOT, "docs/installation-configuration.md"), "utf8");
  for (const setting of CONNECTION_SETTING_NAMES) {
    const { type, description } = at("config", "variables", setting);
    const value = /Default: (.*)\.$/.exec(String(description))?.[1];
    const found = value === undefined ? "(?:required|none)" : `\`${value}\``;
    const cells = [
      `\`${configurationKey(setting)}\``,
      `${type}(?:, secret)?`,
      found,
      `\`${environmentVariable(setting)}\``,
    ];
    expect(page).toMatch(new RegExp(`^\\| ${cells.join(" \\| ")} \\| `, "m"));
  }
});

it.each(["resources", "functions"])("has examples in every language for all %s", (kind) => {
  for (const { description } of Object.values(at(kind)).filter(isObject)) {
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
  const args = ["schema", "check", path.join(ROOT, "tools/schema/schema.json")];
  await expect(promisify(execFile)(command, args, { env })).resolves.toBeDefined();
});
