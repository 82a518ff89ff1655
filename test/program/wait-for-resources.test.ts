import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { AgentLogConfig } from "../../sdk/index.ts";
import { connectService, setEngine } from "./set-engine.ts";

const MONITORING = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;

/** Runs a program that reads the same before, in a stack of its own, and returns what was recorded for each resource. */
async function run(program: () => pulumi.Resource): Promise<Readonly<Record<string, unknown>>> {
  const recorded: Record<string, unknown> = {};
  const service = await connectService({ [MONITORING.projectId]: { monitoring: { logPath: "/old" } } });
  setEngine({
    newResource: async ({ name, type, inputs }) => {
      if (type === "test:index:Change") {
        await vi.waitUntil(() => "before" in recorded, { timeout: 30_000 });
        service.set(MONITORING.projectId, "monitoring", { logPath: "/new" });
      }
      recorded[name] = inputs["logPath"];
      return { id: name, state: inputs };
    },
  });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await pulumi.runtime.runInPulumiStack(async () => {
    pulumi.all([new AgentLogConfig("before", MONITORING).urn, program().urn]).apply(resolve);
    return {};
  });
  await promise;
  return recorded;
}

/** A resource whose creation changes the settings. */
class Change extends pulumi.CustomResource {
  constructor() {
    super("test:index:Change", "change", {});
  }
}

class Group extends pulumi.ComponentResource {
  constructor(name: string, opts: pulumi.ComponentResourceOptions = {}) {
    super("test:index:Group", name, {}, opts);
  }
}

const SHAPES: readonly { readonly description: string; readonly build: () => AgentLogConfig }[] = [
  {
    description: "is in dependsOn",
    build: () => new AgentLogConfig("a", MONITORING, { dependsOn: new Change() }),
  },
  {
    description: "is the parent",
    build: () => new AgentLogConfig("a", MONITORING, { parent: new Change() }),
  },
  {
    description: "is in dependsOn of the component around it",
    build: () => new AgentLogConfig("a", MONITORING, { parent: new Group("g", { dependsOn: new Change() }) }),
  },
  {
    description: "is in dependsOn of a component further up",
    build: () => {
      const outer = new Group("outer", { dependsOn: new Change() });
      return new AgentLogConfig("a", MONITORING, { parent: new Group("inner", { parent: outer }) });
    },
  },
  {
    description: "is the parent of the component around it",
    build: () => new AgentLogConfig("a", MONITORING, { parent: new Group("g", { parent: new Change() }) }),
  },
  {
    description: "is in deletedWith",
    build: () => new AgentLogConfig("a", MONITORING, { deletedWith: new Change() }),
  },
  {
    description: "is in replaceWith",
    build: () => new AgentLogConfig("a", MONITORING, { replaceWith: [new Change()] }),
  },
  {
    description: "is a child of a component in dependsOn",
    build: () => {
      const group = new Group("g");
      new Change();
      new (class extends pulumi.CustomResource {})("test:index:Change", "child", {}, { parent: group });
      return new AgentLogConfig("a", MONITORING, { dependsOn: group });
    },
  },
];

it.each(SHAPES)("a read is made anew where a resource $description", async ({ build }) => {
  expect(await run(build)).toMatchObject({ before: "/old", a: "/new" });
});

it("a read does not wait for itself, in a component that it depends on", async () => {
  const recorded = await run(() => {
    const group = new Group("g");
    return new AgentLogConfig("a", MONITORING, { dependsOn: [group, new Change()], parent: group });
  });
  expect(recorded).toMatchObject({ a: "/new" });
});
