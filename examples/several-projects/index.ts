import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigs, getAgentLogConfigsOutput, Provider } from "pulumi-agent-log-config";
import { EXPECTED } from "./expected.ts";

interface Service {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly projects: Readonly<Record<string, string>>;
}

const config = new pulumi.Config();
const services = config.requireObject<Record<keyof typeof EXPECTED, Service>>("services");

export const table = pulumi.all([rowsOf("east"), rowsOf("west")]).apply((rows) => rows.flat().join("\n"));

/** The monitoring agents are recorded, so that previews show their drift; the backup agents are only listed. */
function rowsOf(name: keyof typeof EXPECTED): pulumi.Output<string[]> {
  const { baseUrl, publicKey, projects } = services[name];
  const privateKey = config.requireSecret(`${name}PrivateKey`);
  const provider = new Provider(name, { baseUrl, publicKey, privateKey });
  const rules = { expect: EXPECTED[name], whenUnexpected: "warn" } as const;
  const fleet = new AgentLogConfigs(name, { projects, agents: ["monitoring"], ...rules }, { provider });
  const recorded = fleet.configs.apply((configs) => Object.values(configs).map((row) => describe(name, row)));
  const listed = getAgentLogConfigsOutput(
    { projectIds: Object.values(projects), agents: ["backup"] },
    { provider },
  ).apply(({ configs, failures }) => [
    ...configs.map((row) => describe(name, row)),
    ...failures.map(({ projectId, message }) => `${name}  ${projectId}  backup      ${message}`),
  ]);
  return pulumi.all([recorded, listed]).apply((rows) => rows.flat());
}

interface Row {
  readonly projectId: string;
  readonly agent: string;
  readonly logPath: string | undefined;
  readonly logRotate: { readonly sizeThresholdMB?: number | undefined };
}

function describe(service: string, { projectId, agent, logPath, logRotate }: Row): string {
  const size = logRotate.sizeThresholdMB === undefined ? "-" : `${logRotate.sizeThresholdMB} MB`;
  return [service, projectId, agent.padEnd(10), size.padStart(8), logPath ?? "standard error"].join("  ");
}
