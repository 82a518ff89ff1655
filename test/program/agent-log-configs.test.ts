import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfigs, type AgentLogConfigsArgs, Provider } from "../../sdk/index.ts";
import { dependenciesOf } from "../../sdk/program/private-sdk.ts";
import { SIGNATURE_KEY } from "../../sdk/shared/engine-marks.ts";
import { connectService, setEngine } from "./set-engine.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"];
const MONITORING = { agents: ["monitoring"] } as const;

beforeEach(async () => {
  const settings = (project: string) => ({
    monitoring: { logPath: `/${project}`, configOverrides: { mmsApiKey: "k" } },
    backup: { logRotate: { sizeThresholdMB: 1000 } },
  });
  await connectService({ [ONE]: settings("one"), [TWO]: settings("two") });
});

// What is still being registered must not meet the mocks of the next test.
afterEach(() => pulumi.runtime.disconnect());

type Registered = pulumi.runtime.MockResourceArgs;

/** Runs as a program does, and returns what it registers. */
function inDeployment({ preview = false } = {}): Registered[] {
  const registered: Registered[] = [];
  const newResource = (args: Registered) => {
    registered.push(args);
    const isNew = preview && args.type === "test:index:Other";
    return { id: isNew ? "" : args.name, state: args.inputs };
  };
  setEngine({ newResource }, { preview });
  return registered;
}

/** A resource of another package; in a preview of a new one its id is not known yet. */
class Other extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Other", name, {});
  }
}

const childrenIn = (registered: readonly Registered[]) =>
  registered.filter(({ type }) => type === AGENT_LOG_CONFIG_TYPE);
const namesIn = (registered: readonly Registered[]) => childrenIn(registered).map(({ name }) => name);

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  // A failed Output is told by the rejection of its promise alone.
  if (!("promise" in output && typeof output.promise === "function")) throw new TypeError("no promise");
  return output.promise();
}

describe("AgentLogConfigs", () => {
  it("makes a child of each agent of each project, once, and returns their settings in the order of the lists", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [TWO, ONE, TWO.toUpperCase(), TWO] });
    expect(await resolved(fleet.configs)).toEqual([
      { id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
      { id: `${TWO}/backup`, projectId: TWO, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
      { id: `${ONE}/monitoring`, projectId: ONE, agent: "monitoring", logPath: "/one" },
      { id: `${ONE}/backup`, projectId: ONE, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
    ]);
    expect(namesIn(registered)).toEqual([TWO, ONE].flatMap((id) => [`fleet-${id}-monitoring`, `fleet-${id}-backup`]));
    const [{ inputs } = { inputs: {} }] = childrenIn(registered);
    expect(inputs).toMatchObject({ projectId: TWO, agent: "monitoring", logPath: "/two" });
    expect(inputs["configOverrides"]).toHaveProperty([SIGNATURE_KEY]);
  });

  it("names the children of a map by its names, in their order, each with a record of its own", async () => {
    const registered = inDeployment();
    const projects = { orders: TWO, billing: ONE, "Team/Øst 1": TWO.toUpperCase() };
    const fleet = new AgentLogConfigs("fleet", { projects, ...MONITORING });
    expect(await resolved(fleet.configs)).toEqual([
      { name: "Team/Øst 1", id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
      { name: "billing", id: `${ONE}/monitoring`, projectId: ONE, agent: "monitoring", logPath: "/one" },
      { name: "orders", id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
    ]);
    const names = ["Team/Øst 1", "billing", "orders"].map((name) => `fleet-${name}-monitoring`);
    expect(namesIn(registered).toSorted()).toEqual(names);
  });

  const PROJECTS = { a: ONE, b: TWO };
  it.each<[description: string, args: () => AgentLogConfigsArgs, children: string[], sealed: string[]]>([
    // What turns out to be absent is not given.
    ["a Promise", () => ({ projects: Promise.resolve(PROJECTS), projectIds: undefined }), ["a", "b"], []],
    ["a secret", () => ({ projects: pulumi.secret(PROJECTS) }), ["a", "b"], ["a", "b"]],
    ["a map of secrets", () => ({ projects: { a: ONE, b: pulumi.secret(TWO) } }), ["a", "b"], ["b"]],
    ["a list of secrets", () => ({ projectIds: [pulumi.secret(ONE)] }), [ONE], [ONE]],
    ["Outputs", () => ({ projectIds: pulumi.output([ONE]), agents: pulumi.output(["monitoring"]) }), [ONE], []],
    [
      "lists of Outputs",
      () => ({ projectIds: [pulumi.output(ONE)], agents: [pulumi.output("monitoring" as const)] }),
      [ONE],
      [],
    ],
  ])("takes projects as %s", async (_, args, children, sealed) => {
    const registered = inDeployment();
    const { configs } = new AgentLogConfigs("fleet", { ...MONITORING, ...args() });
    const paths = [{ logPath: "/one" }, { logPath: "/two" }];
    expect(await resolved(configs)).toMatchObject(paths.slice(0, children.length));
    expect(await pulumi.isSecret(configs)).toBe(sealed.length > 0);
    const secret = childrenIn(registered).filter(({ inputs }) => typeof inputs["projectId"] !== "string");
    const nameOf = (child: string) => `fleet-${child}-monitoring`;
    expect([namesIn(registered), namesIn(secret)]).toEqual([children.map(nameOf), sealed.map(nameOf)]);
  });

  it("is refused in one line where its projects turn out late to be none", async () => {
    inDeployment();
    // A failed Output rejects more promises than a program has, and would end it.
    const reasons: unknown[] = [];
    const listeners = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => reasons.push(reason));
    onTestFinished(() => {
      process.removeAllListeners("unhandledRejection");
      for (const listener of listeners) process.on("unhandledRejection", listener);
    });
    const { configs } = new AgentLogConfigs("fleet", { projects: Promise.resolve<never>(JSON.parse('["a"]')) });
    const sentence = "AgentLogConfigs 'fleet' can't be made: projects must be a map from names to project ids.";
    await expect(resolved(configs)).rejects.toMatchObject({ stack: expect.stringMatching(/^[^\n]+$/) });
    await expect(resolved(configs)).rejects.toThrow(sentence);
    await vi.waitUntil(() => reasons.length > 0);
  });

  it("makes its children before the constructor returns, so that dependsOn finds them", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE, pulumi.output(TWO)], ...MONITORING });
    const dependencies = await dependenciesOf(fleet, new Set());
    await resolved(fleet.configs);
    expect(dependencies).toHaveLength(1);
    expect(namesIn(registered)).toEqual([`fleet-${ONE}-monitoring`, `fleet-${TWO}-monitoring`]);
  });

  it("is refused at once for an argument that can't work", () => {
    inDeployment();
    const make = () => Reflect.construct(AgentLogConfigs, ["fleet", { projectIds: [ONE], expects: {} }]);
    expect(make).toThrow(
      "AgentLogConfigs 'fleet' can't be made: unknown names: expects; the valid ones are projectIds,",
    );
  });
});

describe("a preview", () => {
  const known = async (output: pulumi.Output<unknown>) => "isKnown" in output && (await output.isKnown);

  it("leaves the output unknown while the list or the map of projects is", async () => {
    const registered = inDeployment({ preview: true });
    const unknown = new Other("o").id;
    const fleet = new AgentLogConfigs("fleet", { projectIds: unknown.apply(() => [ONE]) });
    expect(await known(fleet.configs)).toBe(false);
    const named = new AgentLogConfigs("named", { projects: unknown.apply(() => ({ a: ONE })) });
    expect(await known(named.configs)).toBe(false);
    expect(namesIn(registered)).toEqual([]);
  });

  it.each([false, true])("has a child for a name whose project is to be created; late agents: %s", async (isLate) => {
    const registered = inDeployment({ preview: true });
    const projects = { a: ONE, b: new Other("o").id, c: pulumi.output(TWO) };
    const agents = isLate ? pulumi.output(MONITORING.agents) : MONITORING.agents;
    expect(await known(new AgentLogConfigs("fleet", { projects, agents }).configs)).toBe(false);
    await vi.waitUntil(() => namesIn(registered).length === 3);
    expect(namesIn(registered).toSorted()).toEqual(["a", "b", "c"].map((name) => `fleet-${name}-monitoring`));
  });

  it.each<{ description: string; make: () => AgentLogConfigs }>([
    {
      description: "one of the projects",
      make: () =>
        new AgentLogConfigs("fleet", { projectIds: [ONE, new Other("o").id, pulumi.output(TWO)], ...MONITORING }),
    },
    {
      description: "what it depends on",
      make: () =>
        new AgentLogConfigs("fleet", { projectIds: [ONE, TWO], ...MONITORING }, { dependsOn: new Other("o") }),
    },
    {
      description: "its connection",
      make: () => {
        const provider = new Provider("p", { publicKey: new Other("o").id });
        return new AgentLogConfigs("fleet", { projectIds: pulumi.output([ONE, TWO]), ...MONITORING }, { provider });
      },
    },
  ])("keeps the children that are known while $description is to be created", async ({ make }) => {
    const registered = inDeployment({ preview: true });
    expect(await known(make().configs)).toBe(false);
    await vi.waitUntil(() => namesIn(registered).length === 2);
    expect(namesIn(registered)).toEqual([ONE, TWO].map((id) => `fleet-${id}-monitoring`));
  });
});
