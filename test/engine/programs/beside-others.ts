import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, Provider } from "pulumi-agent-log-config";

// A dynamic resource of somebody else, whose provider needs a key of the stack configuration.
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
    const args = { projectId: config.require("projectId"), agent: "monitoring" } as const;
    this.logPath = new AgentLogConfig(`${name}-settings`, args, { parent: this }).logPath;
    this.token = new Theirs(`${name}-theirs`, { parent: this }).token;
    this.registerOutputs({});
  }
}

const config = new pulumi.Config();
const west = new Provider("west", { baseUrl: config.require("west") });
const list = new Team("list", { providers: [west] });
const map = new Team("map", { providers: { "agent-log-config": west } });

export const listed = list.logPath;
export const mapped = map.logPath;
export const token = list.token;
