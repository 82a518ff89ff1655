import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfig, getAgentLogConfigOutput, Provider } from "pulumi-agent-log-config";

interface Connection {
  baseUrl: string;
  privateKey: string;
}

// Two services with two keys; the second one reaches its resources through a component.
const config = new pulumi.Config();
const projectId = config.require("projectId");
const first = config.requireObject<Connection>("first");
const second = config.requireObject<Connection>("second");

const one = new Provider("one", { ...first, privateKey: pulumi.secret(first.privateKey) });
const two = new Provider("two", second);

class Team extends pulumi.ComponentResource {
  readonly settings: AgentLogConfig;

  constructor(name: string, opts: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, opts);
    this.settings = new AgentLogConfig(`${name}-settings`, { projectId, agent: "monitoring" }, { parent: this });
    this.registerOutputs({});
  }
}

const direct = new AgentLogConfig("direct", { projectId, agent: "monitoring" }, { provider: one });
const team = new Team("team", { providers: [two] });

export const directPath = direct.logPath;
export const teamPath = team.settings.logPath;
export const awaitedPath = getAgentLogConfig({ projectId, agent: "backup" }, { provider: two }).then(
  ({ logPath }) => logPath,
);
export const outputPath = getAgentLogConfigOutput({ projectId, agent: "backup" }, { parent: team }).logPath;
