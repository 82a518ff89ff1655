import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

// What happens to a second secret setting that is added to the declaration alone: interface, secrecy and kind.

const root = path.resolve(import.meta.dirname, "../..");
const ADDITIONS = {
  "agent-log-settings.ts": [
    ["  readonly configOverrides:", "  /** A token. */\n  readonly agentToken: string | undefined;\n"],
    ['  configOverrides: "secret",', '  agentToken: "secret",\n'],
  ],
  "schemas.ts": [["    configOverrides: maybe(", "    agentToken: text,\n"]],
} as const;

const SCRIPT = `
import * as pulumi from "@pulumi/pulumi";
import { generateSchema } from "./tools/schema/generate-schema.ts";
import { AgentLogConfig, getAgentLogConfig } from "./sdk/index.ts";
import { callFunction } from "./sdk/plugin/call-function.ts";
import { withMarks } from "./sdk/plugin/property-marks.ts";
import { read } from "./sdk/provider/dynamic-provider.ts";
import { lookUpConnection, stackConfiguration } from "./sdk/shared/connection-settings.ts";
import { refusalsOf } from "./sdk/shared/resource-arguments.ts";
import { SettingsReader } from "./sdk/shared/settings-reader.ts";
import { startService } from "./sdk/testing/index.ts";
const what = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const found = {};
await pulumi.runtime.setMocks({
  newResource: ({ name, inputs }) => {
    found.program = inputs.agentToken;
    return { id: name, state: inputs };
  },
  call: () => ({ agentToken: "body-token-0001" }),
});
found.function = await pulumi.isSecret((await getAgentLogConfig(what)).agentToken);
// The package takes it for an engine, so that it reads.
Object.defineProperty(pulumi.runtime.getMonitor(), "constructor", { value: class EngineMonitor {} });
const service = await startService({ settings: { [what.projectId]: { monitoring: { agentToken: "body-token-0001" } } } });
const settings = { baseUrl: service.baseUrl, publicKey: "publickey", privateKey: "private-key-0001", allowHttp: "true" };
pulumi.runtime.setAllConfig(Object.fromEntries(Object.entries(settings).map(([name, text]) => ["agent-log-config:" + name, text])));
const reader = new SettingsReader();
const connection = lookUpConnection(stackConfiguration(pulumi.runtime.getConfig));
const resource = new AgentLogConfig("settings", what);
await new Promise((resolve) => resource.urn.apply(resolve));
found.output = await pulumi.isSecret(resource.agentToken);
found.refresh = (await read({ get: pulumi.runtime.getConfig }, what.projectId + "/monitoring", {})).inputs.agentToken;
found.plugin = withMarks({ agentToken: "body-token-0001" }, {}).agentToken;
found.pluginFunction = await callFunction("agent-log-config:index:getAgentLogConfig", what, (args) => reader.read(connection, args));
found.expectation = refusalsOf({ ...what, expect: { agentToken: "expected-0001" } }, []);
service.set(what.projectId, what.agent, { agentToken: "body-token-0001<{%" });
found.refusal = await reader.read(connection, what).catch(({ message }) => message);
const { resources, functions } = generateSchema({ version: "1.2.3", description: "", license: "", homepage: "" });
found.schema = resources["agent-log-config:index:AgentLogConfig"].properties.agentToken;
found.schemaOfFunctions = JSON.stringify(functions).includes("agentToken");
console.log(JSON.stringify(found));
await service.close();
`;

const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value: "body-token-0001" };

it("is a secret in records, functions, the plugin and the schema, and in no message", () => {
  const folder = temporaryFolder("second-secret");
  for (const part of ["sdk", "tools", "docs", "package.json"]) {
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  for (const [name, additions] of Object.entries(ADDITIONS)) {
    const file = path.join(folder, "sdk/client", name);
    let text = readFileSync(file, "utf8");
    for (const [line, added] of additions) {
      expect(text.split(line)).toHaveLength(2);
      text = text.replace(line, () => added + line);
    }
    writeFileSync(file, text);
  }
  writeFileSync(path.join(folder, "script.ts"), SCRIPT);
  const printed = execFileSync(process.execPath, ["script.ts"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  const found = JSON.parse(printed);
  expect(found).toMatchObject({ program: SECRET, output: true, refresh: SECRET, function: true, plugin: SECRET });
  // The functions of the plugin leave it out.
  expect(found).toMatchObject({ pluginFunction: { logPath: null }, schemaOfFunctions: false });
  expect(JSON.stringify(found.pluginFunction)).not.toContain("oken");
  expect(found.schema).toMatchObject({ secret: true, description: "A token." });
  expect(found.expectation).toMatchObject([{ message: expect.stringMatching(/expect has unknown names: agentToken/) }]);
  expect(found.refusal).toMatch(/agentToken has a sequence of characters/);
  expect(JSON.stringify([found.expectation, found.refusal])).not.toMatch(/-0001/);
});
