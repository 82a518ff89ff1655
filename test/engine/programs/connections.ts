import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, getAgentLogConfig, getAgentLogConfigOutput, Provider } from "pulumi-agent-log-config";

interface Connection {
  baseUrl: string;
  privateKey: string;
}

// Two services with two keys; the second one reaches its resources through components, beside a dynamic resource of somebody
// else, whose provider needs a key of the stack configuration.
const config = new pulumi.Config();
const projectId = config.require("projectId");
const first = config.requireObject<Connection>("first");
const second = config.requireObject<Connection>("second");

const one = new Provider("one", { ...first, privateKey: pulumi.secret(first.privateKey) });
const two = new Provider("two", second);

class TheirProvider implements pulumi.dynamic.ResourceProvider {
  token = "";

  async configure({ config }: pulumi.dynamic.ConfigureRequest) {
    this.token = config.require("myapp:token");
  }

  async create() {
    return { id: "theirs", outs: { token: this.token } };
  }
}

class Theirs extends pulumi.dynamic.Resource {
  declare readonly token: pulumi.Output<string>;

  constructor(name: string, opts: pulumi.CustomResourceOptions) {
    super(new TheirProvider(), name, { token: undefined }, opts);
  }
}

class Team extends pulumi.ComponentResource {
  readonly logPath: AgentLogConfig["logPath"];
  readonly token: pulumi.Output<string>;

  constructor(name: string, opts: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, opts);
    this.logPath = new AgentLogConfig(`${name}-settings`, { projectId, agent: "monitoring" }, { parent: this }).logPath;
    this.token = new Theirs(`${name}-theirs`, { parent: this }).token;
    this.registerOutputs({});
  }
}

const direct = new AgentLogConfig("direct", { projectId, agent: "monitoring" }, { provider: one });
const list = new Team("list", { providers: [two] });
const map = new Team("map", { providers: { "agent-log-config": two } });

export const directPath = direct.logPath;
export const listed = list.logPath;
export const mapped = map.logPath;
export const token = list.token;
export const awaitedPath = getAgentLogConfig({ projectId, agent: "backup" }, { provider: two }).then(
  ({ logPath }) => logPath,
);
export const outputPath = getAgentLogConfigOutput({ projectId, agent: "backup" }, { parent: list }).logPath;
