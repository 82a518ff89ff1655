import * as pulumi from "@pulumi/pulumi";
import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfigs, type AgentLogConfigsArgs, Provider } from "../../sdk/index.ts";
import { dependenciesOf } from "../../sdk/program/private-sdk.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { type PluginProcess, startPlugin } from "../plugin/plugin-process.ts";
import { startMonitor } from "../plugin/start-monitor.ts";
import {
  isMap,
  isSecret,
  mapValues,
  type PropertyMap,
  type PropertyValue,
  parseProperties,
  secret,
  secretContent,
  unknownValue,
  withoutSecrets,
} from "../stand-in-engine/property-value.ts";
import { queueFaults } from "../testing/queue-faults.ts";
import { catchRejections, connectService, setEngine } from "./set-engine.ts";

const [ONE, TWO, THREE] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b", "0123456789abcdef0123456c"];
const MONITORING = { agents: ["monitoring"] } as const;

const installed = usePluginFolder();
let plugin: PluginProcess;
let service: Service;

beforeAll(async () => {
  plugin = await startPlugin(installed.module());
});

afterAll(() => plugin.stop());

beforeEach(async () => {
  const settings = (project: string) => ({
    monitoring: { logPath: `/${project}`, configOverrides: { mmsApiKey: "k" } },
    backup: { logRotate: { sizeThresholdMB: 1000 } },
  });
  service = await connectService({ [ONE]: settings("one"), [TWO]: settings("two"), [THREE]: settings("three") });
});

// What is still being registered must not meet the mocks of the next test.
afterEach(() => pulumi.runtime.disconnect());

interface Child {
  readonly name: string;
  readonly inputs: PropertyMap;
}

/** A fleet: its output with the marks of the engine, and its children, of which some may come later. */
interface Fleet {
  readonly configs: PropertyValue;
  readonly children: () => readonly Child[];
}

/** Runs as a program does, and returns the children that it registers. */
function inDeployment({ preview = false, stateOf = ({ inputs }: Child) => inputs } = {}): () => readonly Child[] {
  const registered: pulumi.runtime.MockResourceArgs[] = [];
  const newResource = (args: pulumi.runtime.MockResourceArgs) => {
    registered.push(args);
    const isNew = preview && args.type === "test:index:Other";
    return { id: isNew ? "" : args.name, state: stateOf(args) };
  };
  setEngine({ newResource }, { preview });
  return () => registered.filter(({ type }) => type === AGENT_LOG_CONFIG_TYPE);
}

const namesOf = (children: readonly Child[]) => children.map(({ name }) => name);

/** A resource of another package; in a preview of a new one its id is not known yet. */
class Other extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Other", name, {});
  }
}

async function makeInProgram(args: PropertyMap, preview = false): Promise<Fleet> {
  const children = inDeployment({ preview });
  const { configs }: AgentLogConfigs = Reflect.construct(AgentLogConfigs, ["fleet", mapValues(args, inputOf)]);
  const found = await withMarks(configs);
  return { configs: (await pulumi.isSecret(configs)) ? secret(found) : found, children };
}

/** The value of an Output with the engine's mark of what is not known. The SDK leaves out what is undefined. */
async function withMarks(output: pulumi.Output<unknown>): Promise<PropertyValue> {
  const known = JSON.stringify(await resolved(output), (_, value) => (pulumi.isUnknown(value) ? unknownValue : value));
  return known === undefined ? unknownValue : JSON.parse(known);
}

function inputOf(value: PropertyValue): unknown {
  if (value === unknownValue) return new Other("o").id;
  if (isSecret(value)) return pulumi.secret(inputOf(secretContent(value)));
  if (Array.isArray(value)) return value.map(inputOf);
  return isMap(value) ? mapValues(value, inputOf) : value;
}

async function makeInPlugin(args: PropertyMap, preview = false): Promise<Fleet> {
  const { request, registered } = await openEngine({ preview, goesOn: true });
  const { outputs } = await plugin.construct(args, request);
  const children = registered.slice(1).map((each) => ({
    name: each.getName(),
    inputs: parseProperties(each.getObject()?.toJavaScript()),
  }));
  // A text that is not set is empty in an output of the plugin.
  const configs = JSON.parse(JSON.stringify(outputs["configs"]), (_, value) => (value === "" ? undefined : value));
  return { configs, children: () => children };
}

/** The engine in a preview of a new stack or in an update, and what it asks for a fleet. */
async function openEngine({ preview = true, goesOn = false, childOf = recordChild } = {}) {
  await plugin.attach("127.0.0.1:1");
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  await plugin.configure({ baseUrl: service.baseUrl, ...key, allowHttp: "true", maxRetries: 0 });
  const monitor = await startMonitor(childOf, { goesOn });
  const request = new messages.ConstructRequest().setMonitorendpoint(monitor.address).setDryrun(preview);
  return { ...monitor, request };
}

/** Asks the plugin for a child what the engine asks. */
async function recordChild(urn: string, inputs: PropertyMap): Promise<PropertyMap | undefined> {
  const properties = await plugin.check(inputs, {}, urn);
  return parseProperties((await plugin.call("Create", { urn, properties, preview: true }))["properties"]);
}

const isKnown = async (output: pulumi.Output<unknown>) => "isKnown" in output && (await output.isKnown) === true;

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  // A failed Output is told by the rejection of its promise alone.
  if (!("promise" in output && typeof output.promise === "function")) throw new TypeError("no promise");
  return output.promise(true);
}

describe.each([
  { way: "program", make: makeInProgram },
  { way: "plugin", make: makeInPlugin },
])("a fleet of the $way", ({ way, make }) => {
  it("has a child of each agent of each project, once, and returns their settings by name", async () => {
    const agents = ["monitoring", "backup", "monitoring"];
    const { configs, children } = await make({ projects: { [TWO]: TWO, one: ONE }, agents });
    const logRotate = { sizeThresholdMB: 1000 };
    const [one, two] = [ONE, TWO].map((projectId) => ({ name: projectId === ONE ? "one" : TWO, projectId }));
    expect(configs).toEqual({
      [`${TWO}/monitoring`]: { ...two, id: `${TWO}/monitoring`, agent: "monitoring", logPath: "/two", logRotate: {} },
      [`${TWO}/backup`]: { ...two, id: `${TWO}/backup`, agent: "backup", logRotate },
      "one/monitoring": { ...one, id: `${ONE}/monitoring`, agent: "monitoring", logPath: "/one", logRotate: {} },
      "one/backup": { ...one, id: `${ONE}/backup`, agent: "backup", logRotate },
    });
    // The plugin registers them in the order in which their reads end.
    const names = [TWO, "one"].flatMap((name) => [`fleet-${name}-backup`, `fleet-${name}-monitoring`]);
    expect(namesOf(children()).toSorted()).toEqual(names);
  });

  it("calls its children by the names of a map, each with a record of its own", async () => {
    const projects = { orders: TWO, billing: ONE, "Team/Øst 1": TWO };
    const { configs, children } = await make({ projects, agents: ["monitoring"] });
    const [one, two] = [ONE, TWO].map((projectId) => ({ projectId, id: `${projectId}/monitoring` }));
    expect(configs).toEqual({
      "Team/Øst 1/monitoring": { name: "Team/Øst 1", ...two, agent: "monitoring", logPath: "/two", logRotate: {} },
      "billing/monitoring": { name: "billing", ...one, agent: "monitoring", logPath: "/one", logRotate: {} },
      "orders/monitoring": { name: "orders", ...two, agent: "monitoring", logPath: "/two", logRotate: {} },
    });
    const names = ["Team/Øst 1", "billing", "orders"].map((name) => `fleet-${name}-monitoring`);
    expect(namesOf(children()).toSorted()).toEqual(names);
  });

  it.each<{ description: string; args: PropertyMap; secrets?: readonly string[] }>([
    { description: "one id", args: { projects: { a: ONE, b: secret(TWO) } }, secrets: [TWO] },
    { description: "the map", args: { projects: secret({ a: ONE, b: TWO }) } },
    { description: "the list of agents", args: { projects: { a: ONE, b: TWO }, agents: secret(["monitoring"]) } },
  ])("keeps its output and the ids of its children secret where $description is", async ({ args, secrets }) => {
    const { configs, children } = await make({ agents: ["monitoring"], ...args });
    expect(Object.keys(isSecret(configs) ? Object(secretContent(configs)) : {})).toHaveLength(2);
    const ids = children().map(({ inputs }) => inputs["projectId"] ?? null);
    expect(ids.map(withoutSecrets).toSorted()).toEqual([ONE, TWO]);
    // The plugin does not ask which one it is.
    const sealed = way === "plugin" ? [ONE, TWO] : (secrets ?? [ONE, TWO]);
    expect(ids.filter(isSecret).map(withoutSecrets).toSorted()).toEqual(sealed);
  });

  it.each<{ description: string; args: PropertyMap; children: readonly string[] }>([
    { description: "map", args: { projects: unknownValue }, children: [] },
    { description: "list of agents", args: { projects: { one: ONE }, agents: unknownValue }, children: [] },
    {
      description: "one agent",
      args: { projects: { one: ONE }, agents: [unknownValue, "monitoring"] },
      // The SDK waits for all of them.
      children: way === "plugin" ? ["one"] : [],
    },
  ])(
    "has an unknown output and the children that are known in a preview, where its $description is not",
    async (row) => {
      const { configs, children } = await make({ agents: ["monitoring"], ...row.args }, true);
      expect(configs).toBe(unknownValue);
      const names = row.children.map((name) => `fleet-${name}-monitoring`);
      await vi.waitFor(() => expect(namesOf(children()).toSorted()).toEqual(names));
    },
  );

  it.each<{ agents: PropertyValue }>([{ agents: ["monitoring"] }, { agents: secret(["monitoring"]) }])(
    "knows the others in a preview where the id of one name is not known, with the agents $agents",
    async ({ agents }) => {
      const { configs, children } = await make({ projects: { a: ONE, b: unknownValue }, agents }, true);
      expect(isSecret(configs)).toBe(isSecret(agents));
      const unknown = { id: unknownValue, projectId: unknownValue, logPath: unknownValue };
      expect(withoutSecrets(configs)).toMatchObject({
        "a/monitoring": { name: "a", projectId: ONE, logPath: "/one" },
        "b/monitoring": { name: "b", agent: "monitoring", ...unknown },
      });
      expect(namesOf(children()).toSorted()).toEqual(["fleet-a-monitoring", "fleet-b-monitoring"]);
    },
  );
});

describe("a fleet of a program", () => {
  it("takes promises and Outputs, which are no secret", async () => {
    inDeployment();
    const projects = Promise.resolve({ a: ONE, b: pulumi.output(TWO) });
    const agents = [pulumi.output("monitoring" as const)];
    const { configs } = new AgentLogConfigs("fleet", { projects, agents });
    expect(await resolved(configs)).toMatchObject({
      "a/monitoring": { logPath: "/one" },
      "b/monitoring": { logPath: "/two" },
    });
    expect(await pulumi.isSecret(configs)).toBe(false);
  });

  it.each<{ args: () => AgentLogConfigsArgs; why: string }>([
    {
      args: () => ({ projects: Promise.resolve<never>(JSON.parse('["a"]')) }),
      why: "projects must be a map from names to project ids.",
    },
    {
      args: () => ({ projects: { one: ONE }, agents: pulumi.secret<never>(JSON.parse('["backups"]')) }),
      why: 'agents.0 must be "monitoring" or "backup".',
    },
  ])("is refused in one line where its arguments turn out late to be wrong: $why", async ({ args, why }) => {
    inDeployment();
    const reasons = catchRejections();
    const { configs } = new AgentLogConfigs("fleet", args());
    await expect(resolved(configs)).rejects.toMatchObject({ stack: expect.stringMatching(/^[^\n]+$/) });
    await expect(resolved(configs)).rejects.toThrow(`AgentLogConfigs 'fleet' can't be made: ${why}`);
    await vi.waitUntil(() => reasons.length > 0);
  });

  it("is refused at once for a misspelt argument, whatever is known of its projects", () => {
    inDeployment({ preview: true });
    const projects = new Other("o").id.apply((id) => ({ id }));
    const make = () => Reflect.construct(AgentLogConfigs, ["fleet", { projects, expects: {} }]);
    expect(make).toThrow(
      "AgentLogConfigs 'fleet' can't be made: the argument has unknown names: expects; the valid ones are projects,",
    );
  });

  it("makes its children before the constructor returns, so that dependsOn finds them", async () => {
    const children = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projects: { one: ONE, two: pulumi.output(TWO) }, ...MONITORING });
    const dependencies = await dependenciesOf(fleet, new Set());
    await resolved(fleet.configs);
    expect(dependencies).toHaveLength(2);
    expect(namesOf(children())).toEqual(["fleet-one-monitoring", "fleet-two-monitoring"]);
  });

  it("knows of a child in a preview what the engine returns, which is nothing without its provider", async () => {
    const known = { projectId: ONE, agent: "monitoring" };
    const partly = { ...known, logPath: "/one", logRotate: { sizeThresholdMB: unknownValue, timeThresholdHrs: 24 } };
    const states: Readonly<Record<string, PropertyMap>> = { a: {}, b: { ...partly, logPathWindows: "" } };
    inDeployment({ preview: true, stateOf: ({ name }) => states[name.charAt("fleet-".length)] ?? {} });
    const { configs } = new AgentLogConfigs("fleet", { projects: { a: ONE, b: ONE }, ...MONITORING });
    expect(await isKnown(configs)).toBe(false);
    const unknown = Object.fromEntries(
      ["id", "projectId", "agent", "logPath", "logPathWindows", "logRotate", "username"].map((key) => [
        key,
        unknownValue,
      ]),
    );
    expect(await withMarks(configs)).toEqual({
      "a/monitoring": { name: "a", ...unknown },
      "b/monitoring": { name: "b", id: `${ONE}/monitoring`, ...partly, username: unknownValue },
    });
  });

  it.each<{ description: string; opts: () => pulumi.ComponentResourceOptions }>([
    { description: "what it depends on", opts: () => ({ dependsOn: new Other("o") }) },
    { description: "its connection", opts: () => ({ provider: new Provider("p", { publicKey: new Other("o").id }) }) },
  ])("has its children in a preview, while $description is to be created", async ({ opts }) => {
    const children = inDeployment({ preview: true });
    const projects = pulumi.output({ a: ONE, b: TWO });
    const { configs } = new AgentLogConfigs("fleet", { projects, ...MONITORING }, opts());
    expect(await isKnown(configs)).toBe(false);
    await vi.waitFor(() => expect(namesOf(children())).toEqual(["fleet-a-monitoring", "fleet-b-monitoring"]));
  });
});

describe("a fleet of the plugin", () => {
  const fleetUrn = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";
  const urnOf = (name: string) =>
    `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs$agent-log-config:index:AgentLogConfig::fleet-${name}-monitoring`;
  const args = { projects: { one: ONE, two: TWO, three: THREE }, agents: ["monitoring"] };

  it("reads each project once, the children's checks included, and registers its output", async () => {
    const { request, outputs } = await openEngine();
    const constructed = await plugin.construct(args, request);
    expect(constructed.urn).toBe(fleetUrn);
    expect(outputs).toEqual([constructed.outputs]);
    const reads = () => service.requests.filter(({ status }) => status === 200).length;
    expect(reads()).toBe(3);
  });

  it("is refused for a project with the name __proto__", async () => {
    const { request, registered } = await openEngine();
    // protobuf in this process can't write the name either.
    const serialized = request.serializeBinary.bind(request);
    request.serializeBinary = () =>
      Buffer.from(Buffer.from(serialized()).toString("latin1").replace("my_orders", "__proto__"), "latin1");
    const refused = plugin.construct({ projects: { orders: ONE, my_orders: TWO } }, request);
    await expect(refused).rejects.toThrow('projects has the name "__proto__"; begin with a letter or a digit,');
    expect(registered).toHaveLength(1);
  });

  it("is refused for a mistake in its lists, before a child is registered", async () => {
    const { request, registered } = await openEngine();
    const refused = plugin.construct({ ...args, agents: ["backups"] }, request);
    await expect(refused).rejects.toThrow('agents.0 must be "monitoring" or "backup", not "backups".');
    expect(registered).toHaveLength(1);
  });

  it("does not give a child what was read for another project", async () => {
    const { request } = await openEngine({
      childOf: (urn, inputs) => recordChild(urn, { ...inputs, projectId: THREE }),
    });
    const { outputs } = await plugin.construct({ ...args, projects: { one: ONE } }, request);
    expect(outputs["configs"]).toMatchObject({ "one/monitoring": { logPath: "/three" } });
  });

  it("passes on what the program gave beside the arguments, as the SDKs' own components do", async () => {
    const { request, registered } = await openEngine();
    request.setParent("urn:pulumi:dev::p::my:Group::group").setProtect(true).setRetainondelete(true);
    request.setAliasesList([new aliasMessages.Alias().setUrn("urn:pulumi:dev::p::my:Old::fleet")]);
    request.setDependenciesList(["urn:pulumi:dev::p::my:Other::a"]).setDeletedwith("urn:pulumi:dev::p::my:Other::d");
    request.getProvidersMap().set("agent-log-config", "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1");
    request.getProvidersMap().set("other", "urn:pulumi:dev::p::pulumi:providers:other::x::2");
    const inputDependencies = new messages.ConstructRequest.PropertyDependencies().setUrnsList([
      "urn:pulumi:dev::p::my:Other::b",
    ]);
    request.getInputdependenciesMap().set("projects", inputDependencies);
    request.setIgnorechangesList(["logPath"]);
    await plugin.construct({ ...args, projects: { one: ONE } }, request);
    const [fleet, child] = registered.map((each) => ({
      ...each.toObject(),
      providers: [...each.getProvidersMap().entries()],
    }));
    const dependenciesList = ["urn:pulumi:dev::p::my:Other::a", "urn:pulumi:dev::p::my:Other::b"];
    expect(fleet).toMatchObject({
      custom: false,
      parent: "urn:pulumi:dev::p::my:Group::group",
      protect: true,
      retainondelete: true,
      aliasesList: [{ urn: "urn:pulumi:dev::p::my:Old::fleet" }],
      deletedwith: "urn:pulumi:dev::p::my:Other::d",
      dependenciesList,
      providers: [
        ["agent-log-config", "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1"],
        ["other", "urn:pulumi:dev::p::pulumi:providers:other::x::2"],
      ],
    });
    expect(child).toMatchObject({
      custom: true,
      name: "fleet-one-monitoring",
      type: "agent-log-config:index:AgentLogConfig",
      parent: expect.stringContaining("::my:Group$agent-log-config:index:AgentLogConfigs::fleet"),
      provider: "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1",
      aliasesList: [{ spec: { type: "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig" } }],
      dependenciesList,
      ignorechangesList: ["logPath"],
      version: "",
    });
  });

  it("compares the others before a child fails, and says nothing itself", async () => {
    const { request, registered, outputs, ended } = await openEngine();
    for (const projectId of [ONE, THREE]) {
      for (const agent of ["monitoring", "backup"] as const) service.set(projectId, agent, undefined);
    }
    const fleet = plugin.construct(args, request);
    expect(await ended).toMatch(
      /there is no such project.* This applies to the resources (?:fleet-\S+-monitoring, )+fleet-\S+-monitoring\.$/,
    );
    expect(registered).toHaveLength(4);
    // The engine cancels what is left when a run has failed.
    await plugin.cancel();
    expect((await fleet).outputs).toEqual({ configs: unknownValue });
    expect(outputs).toEqual([]);
  });

  it("records all that can be recorded, and fails if the engine goes on after a child has failed", async () => {
    const childOf = async (urn: string, inputs: PropertyMap) => {
      if (urn === urnOf("two")) throw new Error("it fails");
      return recordChild(urn, inputs);
    };
    const { request, outputs, registered } = await openEngine({ preview: false, goesOn: true, childOf });
    const fleet = plugin.construct(args, request);
    await expect(fleet).rejects.toThrow("Its child 'fleet-two-monitoring' has failed.");
    expect([registered.length, outputs]).toEqual([4, []]);
  });

  it.each<[why: string, args: PropertyMap]>([
    ["a child is no target", { projects: { one: ONE, two: TWO } }],
    ["the id of a name is not known", { projects: { one: ONE, two: unknownValue } }],
  ])("marks nothing as unknown in an update where %s", async (_, unregistered) => {
    const childOf = async (urn: string, inputs: PropertyMap) =>
      urn === urnOf("two") ? undefined : recordChild(urn, inputs);
    const { request } = await openEngine({ preview: false, childOf });
    const { outputs } = await plugin.construct({ ...unregistered, agents: ["monitoring"] }, request);
    expect(Object.values(Object(outputs["configs"]))).toMatchObject([{ projectId: ONE, logPath: "/one" }]);
  });

  it("ends at once without a word when it is cancelled", async () => {
    queueFaults(service, ...Array(3).fill({ delaySeconds: 60 }));
    const { request, registered } = await openEngine();
    const fleet = plugin.construct(args, request);
    await vi.waitUntil(() => service.requests.length > 1);
    await plugin.cancel();
    expect((await fleet).outputs).toEqual({ configs: unknownValue });
    expect(registered).toHaveLength(1);
  });
});
