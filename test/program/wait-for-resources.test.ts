import { setTimeout as delay } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, vi } from "vitest";
import { AgentLogConfig, getAgentLogConfigOutput } from "../../sdk/index.ts";
import { connectService, setEngine } from "./set-engine.ts";

const MONITORING = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;

/** Runs a program in a stack of its own, and returns what was recorded for each resource, and how many reads there were. */
async function run(program: () => pulumi.Output<unknown>[], { readsBefore = false } = {}) {
  const recorded: Record<string, unknown> = {};
  const service = await connectService({ [MONITORING.projectId]: { monitoring: { logPath: "/old" } } });
  setEngine({
    newResource: async ({ name, type, inputs }) => {
      // Creating takes longer than a read that does not wait for it.
      if (type === "test:index:Change") {
        await (readsBefore ? vi.waitUntil(() => "before" in recorded) : delay(30));
        service.set(MONITORING.projectId, "monitoring", { logPath: "/new" });
      }
      recorded[name] = inputs["logPath"];
      return { id: name, state: inputs };
    },
  });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await pulumi.runtime.runInPulumiStack(async () => {
    pulumi.all(program()).apply(resolve);
    return {};
  });
  await promise;
  return { recorded, reads: service.requests.filter(({ status }) => status === 200).length };
}

/** A resource whose creation changes the settings. */
class Change extends pulumi.CustomResource {
  declare readonly value: pulumi.Output<string>;

  constructor(name = "change") {
    super("test:index:Change", name, { value: "v" });
  }
}

class Group extends pulumi.ComponentResource {
  constructor(name: string, opts: pulumi.ComponentResourceOptions = {}, args: pulumi.Inputs = {}) {
    super("test:index:Group", name, args, opts);
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

describe("a read waits for a resource whose registration its own waits for", () => {
  it.each(SHAPES)("where that $description", async ({ build }) => {
    expect((await run(() => [build().urn])).recorded).toMatchObject({ a: "/new" });
  });

  it.each(SHAPES)("and is made anew where that $description, although the same was read before", async ({ build }) => {
    const { recorded } = await run(() => [new AgentLogConfig("before", MONITORING).urn, build().urn], {
      readsBefore: true,
    });
    expect(recorded).toMatchObject({ before: "/old", a: "/new" });
  });
});

it("a read does not wait for itself, in a component that it depends on", async () => {
  const { recorded } = await run(() => {
    const group = new Group("g");
    return [new AgentLogConfig("a", MONITORING, { dependsOn: [group, new Change()], parent: group }).urn];
  });
  expect(recorded["a"]).toBe("/new");
});

describe("a program reads once", () => {
  it.each<{ description: string; build: () => pulumi.Output<unknown>[] }>([
    { description: "in another resource", build: () => [new AgentLogConfig("a", MONITORING).urn] },
    { description: "in a function", build: () => [getAgentLogConfigOutput(MONITORING)] },
  ])("what it also needs $description", async ({ build }) => {
    const { reads } = await run(() => [new AgentLogConfig("before", MONITORING).urn, ...build()]);
    expect(reads).toBe(1);
  });
});
