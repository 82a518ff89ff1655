import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, Provider } from "pulumi-agent-log-config";
import { THRESHOLDS } from "./thresholds.ts";

interface Service {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly projectIds: readonly string[];
}

const config = new pulumi.Config();
const services = config.requireObject<Record<keyof typeof THRESHOLDS, Service>>("services");

export const table = pulumi.all([...rowsOf("east"), ...rowsOf("west")]).apply((rows) => rows.join("\n"));

function rowsOf(name: keyof typeof THRESHOLDS): pulumi.Output<string>[] {
  const { baseUrl, publicKey, projectIds } = services[name];
  const privateKey = config.requireSecret(`${name}PrivateKey`);
  const provider = new Provider(name, { baseUrl, publicKey, privateKey });
  const thresholds = { expect: { logRotate: THRESHOLDS[name] }, whenUnexpected: "warn" } as const;
  return projectIds.flatMap((projectId) => {
    const read = (agent: "monitoring" | "backup") =>
      new AgentLogConfig(`${name}-${projectId}-${agent}`, { projectId, agent, ...thresholds }, { provider });
    return [rowOf(name, read("monitoring")), rowOf(name, read("backup"))];
  });
}

function rowOf(service: string, settings: AgentLogConfig): pulumi.Output<string> {
  const { projectId, agent, logPath, logRotate } = settings;
  return pulumi.all([projectId, agent, logPath, logRotate]).apply(([project, name, path, thresholds]) => {
    const size = thresholds?.sizeThresholdMB === undefined ? "-" : `${thresholds.sizeThresholdMB} MB`;
    return [service, project, name.padEnd(10), size.padStart(8), path ?? "standard error"].join("  ");
  });
}
