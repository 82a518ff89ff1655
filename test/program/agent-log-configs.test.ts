import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfigs, type AgentLogConfigsArgs, Provider } from "../../sdk/index.ts";
import { dependenciesOf } from "../../sdk/program/private-sdk.ts";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { answerReads } from "../../sdk/testing/index.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"];
const NO_MAP = "projects must be a map from names to project ids";
const MONITORING = { agents: ["monitoring"] } as const;

beforeEach(() => {
  const settings = (project: string) => ({
    monitoring: { logPath: `/${project}`, configOverrides: { mmsApiKey: "k" } },
    backup: { logRotate: { sizeThresholdMB: 1000 } },
  });
  onTestFinished(answerReads({ [ONE]: settings("one"), [TWO]: settings("two") }));
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
  pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", preview);
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

/** A failed Output rejects more promises than a program has, and ends it. Returns the reasons in the place of that. */
function catchRejections(): unknown[] {
  const reasons: unknown[] = [];
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => reasons.push(reason));
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });
  return reasons;
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

  it.each<{ description: string; projects: () => AgentLogConfigsArgs["projects"]; sealed: readonly string[] }>([
    { description: "an Output", projects: () => pulumi.output({ a: ONE, b: TWO }), sealed: [] },
    { description: "a Promise", projects: () => Promise.resolve({ a: ONE, b: TWO }), sealed: [] },
    { description: "a map of Outputs", projects: () => ({ a: pulumi.output(ONE), b: TWO }), sealed: [] },
    { description: "a secret", projects: () => pulumi.secret({ a: ONE, b: TWO }), sealed: ["a", "b"] },
    { description: "a map of secrets", projects: () => ({ a: ONE, b: pulumi.secret(TWO) }), sealed: ["b"] },
  ])("takes projects as $description", async ({ projects, sealed }) => {
    const registered = inDeployment();
    // What turns out to be absent is not given.
    const fleet = new AgentLogConfigs("fleet", { projects: projects(), projectIds: undefined, ...MONITORING });
    expect(await resolved(fleet.configs)).toMatchObject([
      { name: "a", logPath: "/one" },
      { name: "b", logPath: "/two" },
    ]);
    expect(await pulumi.isSecret(fleet.configs)).toBe(sealed.length > 0);
    const secret = childrenIn(registered).filter(({ inputs }) => typeof inputs["projectId"] !== "string");
    expect(namesIn(secret)).toEqual(sealed.map((name) => `fleet-${name}-monitoring`));
  });

  it.each<{ description: string; args: () => AgentLogConfigsArgs; sentence: string }>([
    {
      description: "a list",
      args: () => ({ projects: Promise.resolve<never>(JSON.parse('["a"]')) }),
      sentence: NO_MAP,
    },
    { description: "a text", args: () => ({ projects: Promise.resolve<never>(JSON.parse('"a"')) }), sentence: NO_MAP },
    {
      description: "absent",
      args: () => ({ projects: Promise.resolve<never>(JSON.parse("null")) }),
      sentence:
        "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of",
    },
    {
      description: "one of two",
      args: () => ({ projects: pulumi.output({ a: ONE }), projectIds: [ONE] }),
      sentence: "projectIds and projects are both given; give one of them",
    },
    {
      description: "no list",
      args: () => ({ projectIds: Promise.resolve<never>(JSON.parse('"a"')) }),
      sentence: "projectIds must be a list",
    },
    {
      description: "badly named",
      args: () => ({ projects: pulumi.output({ "": ONE }) }),
      sentence: '"" can\'t be the',
    },
  ])("refuses its projects where they turn out late to be $description", async ({ args, sentence }) => {
    inDeployment();
    const reasons = catchRejections();
    const { configs } = new AgentLogConfigs("fleet", args());
    await expect(resolved(configs)).rejects.toThrow(`AgentLogConfigs 'fleet' can't be made: ${sentence}`);
    await vi.waitUntil(() => reasons.length > 0);
  });

  it.each<{ description: string; args: () => AgentLogConfigsArgs }>([
    {
      description: "Outputs",
      args: () => ({ projectIds: pulumi.output([ONE]), agents: pulumi.output(["monitoring"]) }),
    },
    { description: "Promises", args: () => ({ projectIds: Promise.resolve([ONE]), ...MONITORING }) },
    {
      description: "lists of Outputs",
      args: () => ({ projectIds: [pulumi.output(ONE)], agents: [pulumi.output("monitoring" as const)] }),
    },
  ])("takes $description", async ({ args }) => {
    const registered = inDeployment();
    expect(await resolved(new AgentLogConfigs("fleet", args()).configs)).toMatchObject([{ logPath: "/one" }]);
    expect(namesIn(registered)).toEqual([`fleet-${ONE}-monitoring`]);
  });

  it("makes a child secret where its project is, and all of the output", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE, pulumi.secret(TWO)], ...MONITORING });
    expect(await resolved(fleet.configs)).toHaveLength(2);
    expect(await pulumi.isSecret(fleet.configs)).toBe(true);
    const [one, two] = childrenIn(registered);
    expect(one?.inputs["projectId"]).toBe(ONE);
    expect(two?.inputs["projectId"]).toHaveProperty([SIGNATURE_KEY]);
  });

  it("lets its children judge what is expected", async () => {
    const registered = inDeployment();
    const judged = { expect: { logRotate: { sizeThresholdMB: { atMost: 500 } } }, whenUnexpected: "warn" } as const;
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE], agents: ["backup"], ...judged });
    expect(await resolved(fleet.configs)).toHaveLength(1);
    expect(childrenIn(registered)).toMatchObject([{ inputs: judged }]);
  });

  it("makes its children before the constructor returns, so that dependsOn finds them", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE, pulumi.output(TWO)], ...MONITORING });
    const dependencies = await dependenciesOf(fleet, new Set());
    await resolved(fleet.configs);
    expect(dependencies).toHaveLength(1);
    expect(namesIn(registered)).toEqual([`fleet-${ONE}-monitoring`, `fleet-${TWO}-monitoring`]);
  });

  it.each<{ description: string; args: object; sentence: string }>([
    { description: "an unknown argument", args: { expects: {} }, sentence: "expects is no argument of it" },
    { description: "agents that are no list", args: { agents: "backup" }, sentence: "agents must be a list" },
    { description: "projects that are no list", args: { projectIds: ONE }, sentence: "projectIds must be a list" },
    {
      description: "no projects",
      args: { projectIds: undefined },
      sentence: "projectIds and projects are both missing; give projectIds, ",
    },
    {
      description: "both",
      args: { projects: { a: ONE } },
      sentence: "projectIds and projects are both given; give one of them",
    },
    { description: "a list for the map", args: { projectIds: undefined, projects: [ONE] }, sentence: NO_MAP },
    ...["", "__proto__", "-a", "a\n", "a\u202e", "\ud800", "a<{%", "x".repeat(81), SIGNATURE_KEY, UNKNOWN].map(
      (name) => ({
        description: `the name ${JSON.stringify(name)}`,
        args: {
          projectIds: undefined,
          projects: Object.fromEntries([
            ["a", ONE],
            [name, pulumi.output(TWO)],
          ]),
        },
        sentence:
          "can't be the name of a project: begin with a letter or a digit, and take at most 80 printable characters",
      }),
    ),
  ])("refuses $description", ({ args, sentence }) => {
    inDeployment();
    const make = () => Reflect.construct(AgentLogConfigs, ["fleet", { projectIds: [ONE], ...args }]);
    expect(make).toThrow("AgentLogConfigs 'fleet' can't be made: ");
    expect(make).toThrow(sentence);
    expect(make).toThrow(". See https:");
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

  it("keeps the named children that are known while one of the projects is to be created", async () => {
    const registered = inDeployment({ preview: true });
    const projects = { a: ONE, b: new Other("o").id, c: pulumi.output(TWO) };
    expect(await known(new AgentLogConfigs("fleet", { projects, ...MONITORING }).configs)).toBe(false);
    await vi.waitUntil(() => namesIn(registered).length === 2);
    expect(namesIn(registered)).toEqual(["fleet-a-monitoring", "fleet-c-monitoring"]);
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
