import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, AgentLogConfigs, Provider } from "pulumi-agent-log-config";

// The ways to ignore a change, with what makes the engine's connection or arguments others than those of the program.
const config = new pulumi.Config();
const ignoreChanges = (...paths: string[]) => (config.requireBoolean("ignores") ? { ignoreChanges: paths } : {});
const args = {
  projectId: config.require("projectId"),
  agent: "monitoring",
  whenUnavailable: "useRecorded",
} as const;
const provider = new Provider("other", { publicKey: "publickey" });
const backup = { ...args, agent: "backup" } as const;

const resources: Readonly<Record<string, AgentLogConfig>> = {
  setting: new AgentLogConfig("setting", args, ignoreChanges("logPath")),
  member: new AgentLogConfig("member", args, ignoreChanges("logRotate.sizeThresholdMB")),
  all: new AgentLogConfig("all", args, ignoreChanges("*")),
  // The service loses what they are members of.
  lost: new AgentLogConfig("lost", backup, ignoreChanges("logRotate.sizeThresholdMB", "configOverrides.key")),
  transformed: new AgentLogConfig("transformed", backup, {
    ...ignoreChanges("logPath"),
    transforms: [async ({ props, opts }) => ({ props: { ...props, agent: "monitoring" }, opts })],
  }),
  moved: new AgentLogConfig("moved", args, {
    ...ignoreChanges("logPath"),
    transforms: [async ({ props, opts }) => ({ props, opts: { ...opts, provider } })],
  }),
  quoted: new AgentLogConfig("quoted", args, {
    ...ignoreChanges('["logPath"]'),
    transforms: [async ({ props, opts }) => ({ props, opts: { ...opts, provider } })],
  }),
  foreign: new AgentLogConfig("foreign", args, {
    ...ignoreChanges("logPath"),
    provider: new (class Foreign extends pulumi.ProviderResource {})("pulumi-nodejs", "foreign", {
      "agent-log-config:baseUrl": config.require("baseUrl"),
      "agent-log-config:publicKey": "publickey",
      "agent-log-config:privateKey": pulumi.secret(config.require("privateKey")),
      "agent-log-config:allowHttp": "true",
    }),
  }),
};

const fleet = new AgentLogConfigs(
  "fleet",
  { projects: { [args.projectId]: args.projectId }, agents: ["monitoring"], whenUnavailable: "useRecorded" },
  ignoreChanges("configs[*].logPath"),
);
export const fleetPaths = fleet.configs.apply((configs) => Object.values(configs).map(({ logPath }) => logPath));

export const settings = pulumi.all(
  Object.fromEntries(
    Object.entries(resources).map(([name, { logPath, logRotate }]) => [
      name,
      pulumi.all([logPath, logRotate]).apply(([path, rotate]) => `${path} ${rotate?.sizeThresholdMB}`),
    ]),
  ),
);
