import { projectIds, SETTINGS } from "./start-slow-service.ts";

/** The files of a program in JavaScript beside its index.js. */
export const MANIFEST = { "Pulumi.yaml": "name: bench\nruntime: nodejs\n", "package.json": '{ "main": "index.js" }' };

/** The files of a program in YAML. */
export function filesOfYaml(program: object): Record<string, string> {
  return { "Pulumi.yaml": JSON.stringify({ name: "bench", runtime: "yaml", ...program }) };
}

/** A program in TypeScript that reads this many projects with a resource each. */
export function readProgram(resources: number): string {
  return `const { AgentLogConfig } = require("pulumi-agent-log-config");
for (const projectId of ${JSON.stringify(projectIds(resources))}) {
  new AgentLogConfig("r" + projectId, { projectId, agent: "monitoring" });
}
`;
}

/** The same resource as the engine sees it, by the package's own means. */
export function literalProgram(resources: number): string {
  return `const pulumi = require("@pulumi/pulumi");
const built = (file) => require("../node_modules/pulumi-agent-log-config/dist/" + file);
const { PROVIDER_TEXT } = built("engine/frozen-texts.js");
const { lookUpConnection, stackConfiguration } = built("reading/connection-settings.js");
const { internalProperties } = built("record/resource-record.js");
const { recordedSettingsOf } = built("model/agent-log-settings.js");
const { fingerprintsOf, originText } = built("record/program-origin.js");
const { baseUrl: service, publicKey } = fingerprintsOf(lookUpConnection(stackConfiguration(pulumi.runtime.getConfig)));
const settings = recordedSettingsOf(${JSON.stringify(SETTINGS)});
class Literal extends pulumi.CustomResource {}
for (const projectId of ${JSON.stringify(projectIds(resources))}) {
  const [name, what] = ["r" + projectId, { projectId, agent: "monitoring" }];
  const read = { readTarget: { id: projectId + "/monitoring", service }, publicKey };
  const origin = originText({ name, read, secrets: ["configOverrides"], ignored: [] });
  new Literal("pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig", name, {
    ...what,
    ...settings,
    configOverrides: pulumi.secret(settings.configOverrides),
    ...internalProperties({ origin, failsIn: "program", provider: PROVIDER_TEXT }),
  }, { additionalSecretOutputs: ["configOverrides"] });
}
`;
}

/** A program that reads the projects with one component. */
export function fleetProgram(resources: number): string {
  const args = { projects: byId(projectIds(resources)), agents: ["monitoring"] };
  return `const { AgentLogConfigs } = require("pulumi-agent-log-config");
new AgentLogConfigs("fleet", ${JSON.stringify(args)});
`;
}

/** A program in YAML that reads projects with one component. */
export function fleetInYaml(ids: readonly string[]): object {
  const properties = { projects: byId(ids), agents: ["monitoring"] };
  return { resources: { fleet: { type: "agent-log-config:AgentLogConfigs", properties } } };
}

/** A program in YAML that has the values written down. */
export function literalsInYaml(count: number): object {
  const literal = { type: "pulumi:index:Stash", properties: { input: SETTINGS } };
  return { resources: Object.fromEntries(projectIds(count).map((id) => [`r${id}`, literal])) };
}

function byId(ids: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(ids.map((id) => [id, id]));
}
