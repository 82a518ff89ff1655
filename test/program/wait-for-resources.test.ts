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
  constructor(opts: pulumi.CustomResourceOptions = {}) {
    super("test:index:Change", "change", {}, opts);
  }
}

class Group extends pulumi.ComponentResource {
  constructor(name: string, opts: pulumi.ComponentResourceOptions = {}) {
    super("test:index:Group", name, {}, opts);
  }
}

const SHAPES: readonly [description: string, options: () => pulumi.CustomResourceOptions][] = [
  ["is in dependsOn", () => ({ dependsOn: new Change() })],
  ["is the parent", () => ({ parent: new Change() })],
  ["is in dependsOn of the component around it", () => ({ parent: new Group("g", { dependsOn: new Change() }) })],
  [
    "is in dependsOn of a component further up",
    () => ({ parent: new Group("inner", { parent: new Group("outer", { dependsOn: new Change() }) }) }),
  ],
  ["is the parent of the component around it", () => ({ parent: new Group("g", { parent: new Change() }) })],
  ["is in deletedWith", () => ({ deletedWith: new Change() })],
  ["is in replaceWith", () => ({ replaceWith: [new Change()] })],
  [
    "is a child of a component in dependsOn",
    () => {
      const group = new Group("g");
      new Change({ parent: group });
      return { dependsOn: group };
    },
  ],
];

it.each(SHAPES)("a read is made anew where a resource %s", async (_, options) => {
  const recorded = await run(() => new AgentLogConfig("a", MONITORING, options()));
  expect(recorded).toMatchObject({ before: "/old", a: "/new" });
});

it("a read does not wait for itself, in a component that it depends on", async () => {
  const recorded = await run(() => {
    const group = new Group("g");
    return new AgentLogConfig("a", MONITORING, { dependsOn: [group, new Change()], parent: group });
  });
  expect(recorded).toMatchObject({ a: "/new" });
});
