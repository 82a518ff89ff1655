import type { Inputs } from "@pulumi/pulumi";
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

/** The same resources as the engine sees them, with the settings written down. */
export function literalProgram(resources: number): string {
  return `const built = (file) => require("../node_modules/pulumi-agent-log-config/dist/" + file);
(${registerLiterals})(${JSON.stringify(projectIds(resources))}, ${JSON.stringify(SETTINGS)}, require("@pulumi/pulumi"), {
  ...built("engine/frozen-texts.js"),
  ...built("model/agent-log-settings.js"),
  ...built("reading/connection-settings.js"),
  ...built("record/program-origin.js"),
  ...built("record/read-target.js"),
  ...built("record/resource-properties.js"),
});
`;
}

type Built = typeof import("../sdk/engine/frozen-texts.ts") &
  typeof import("../sdk/model/agent-log-settings.ts") &
  typeof import("../sdk/reading/connection-settings.ts") &
  typeof import("../sdk/record/program-origin.ts") &
  typeof import("../sdk/record/read-target.ts") &
  typeof import("../sdk/record/resource-properties.ts");

/** A program has it as a text, so it takes all that it needs as arguments. Here it is a function, so that the compiler checks it. */
function registerLiterals(
  ids: readonly string[],
  serviceSettings: object,
  pulumi: typeof import("@pulumi/pulumi"),
  sdk: Built,
): void {
  const connection = sdk.lookUpConnection(sdk.stackConfiguration(pulumi.runtime.getConfig));
  const { service, publicKey } = sdk.fingerprintsOf(connection);
  const settings: Inputs = sdk.recordedSettingsOf(serviceSettings);
  class Literal extends pulumi.CustomResource {}
  for (const projectId of ids) {
    const name = `r${projectId}`;
    const read = { readTarget: { id: `${projectId}/monitoring`, service }, publicKey };
    const origin = sdk.originText({ name, read, secrets: ["configOverrides"], ignoreChanges: [] });
    const inputs = {
      projectId,
      agent: "monitoring",
      ...settings,
      configOverrides: pulumi.secret(settings["configOverrides"]),
      ...sdk.internalProperties({ origin, failsIn: "program", provider: sdk.PROVIDER_TEXT }),
    };
    new Literal(sdk.AGENT_LOG_CONFIG_TYPE, name, inputs, { additionalSecretOutputs: ["configOverrides"] });
  }
}

/** A program that reads the projects as one fleet. */
export function fleetProgram(resources: number): string {
  const args = { projects: byId(projectIds(resources)), agents: ["monitoring"] };
  return `const { AgentLogConfigs } = require("pulumi-agent-log-config");
new AgentLogConfigs("fleet", ${JSON.stringify(args)});
`;
}

/** A program in YAML that reads projects as one fleet. */
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
