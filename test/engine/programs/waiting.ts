import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// Every way in which the registration of a resource waits for another resource, here the one in `first`.
const config = new pulumi.Config();
const controlUrl = config.get("controlUrl");

/** A resource of the program's own that changes the settings of a project when it is created or updated. */
class Change extends pulumi.CustomResource {
  constructor(projectId: string) {
    const inputs = { url: controlUrl, projectId, logPath: config.require("logPath") };
    super("pulumi-nodejs:dynamic:Resource", `change-${projectId}`, { ...inputs, __provider: CHANGE });
  }
}

const CHANGE = `exports.handler = () => {
const send = (inputs) => fetch(inputs.url + "/" + inputs.projectId, { method: "POST", body: inputs.logPath });
return {
  create: async (inputs) => (await send(inputs), { id: inputs.projectId, outs: inputs }),
  update: async (id, olds, inputs) => (await send(inputs), { outs: inputs }),
};
};`;

class Group extends pulumi.ComponentResource {
  constructor(name: string, opts: pulumi.ComponentResourceOptions = {}, args: pulumi.Inputs = {}) {
    super("test:index:Group", name, args, opts);
  }
}

type Shape = (name: string, args: AgentLogConfigArgs, first: pulumi.CustomResource) => AgentLogConfig;

const SHAPES: Readonly<Record<string, Shape>> = {
  parent: (name, args, first) => new AgentLogConfig(name, args, { parent: first }),
  "dependsOn-of-component": (name, args, first) =>
    new AgentLogConfig(name, args, { parent: new Group(name, { dependsOn: first }) }),
  "dependsOn-further-up": (name, args, first) => {
    const outer = new Group(`${name}-outer`, { dependsOn: first });
    return new AgentLogConfig(name, args, { parent: new Group(name, { parent: outer }) });
  },
  "parent-of-component": (name, args, first) =>
    new AgentLogConfig(name, args, { parent: new Group(name, { parent: first }) }),
  "argument-of-component": (name, args, first) =>
    new AgentLogConfig(name, args, { parent: new Group(name, {}, { argument: first.id }) }),
  deletedWith: (name, args, first) => new AgentLogConfig(name, args, { deletedWith: first }),
  replaceWith: (name, args, first) => new AgentLogConfig(name, args, { replaceWith: [first] }),
};

const agent = "monitoring";
// The stand-in engine knows some of the options only.
const shapes = Object.entries(SHAPES).filter(([shape]) => config.requireObject<string[]>("shapes").includes(shape));
const failing =
  controlUrl === undefined ? new AgentLogConfig("failing", { projectId: "f".repeat(24), agent }) : undefined;
export const paths = Object.fromEntries(
  shapes.map(([shape, build], index) => {
    const projectId = index.toString(16).padStart(24, "0");
    return [shape, build(shape, { projectId, agent }, failing ?? new Change(projectId)).logPath];
  }),
);
