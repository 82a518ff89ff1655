import * as pulumi from "@pulumi/pulumi";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfigs, type AgentLogConfigsArgs, Provider } from "../../sdk/index.ts";
import { dependenciesOf } from "../../sdk/program/private-sdk.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { type PluginProcess, startPlugin } from "../plugin/plugin-process.ts";
import { startMonitorOf } from "../plugin/start-monitor.ts";
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
import { connectService, setEngine } from "./set-engine.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"];
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
  service = await connectService({ [ONE]: settings("one"), [TWO]: settings("two") });
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
function inDeployment({ preview = false } = {}): () => readonly Child[] {
  const registered: pulumi.runtime.MockResourceArgs[] = [];
  const newResource = (args: pulumi.runtime.MockResourceArgs) => {
    registered.push(args);
    const isNew = preview && args.type === "test:index:Other";
    return { id: isNew ? "" : args.name, state: args.inputs };
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
  if (!(await isKnown(configs))) return { configs: unknownValue, children };
  // The SDK leaves out what is undefined.
  const found: PropertyValue = JSON.parse(JSON.stringify(await resolved(configs)));
  return { configs: (await pulumi.isSecret(configs)) ? secret(found) : found, children };
}

function inputOf(value: PropertyValue): unknown {
  if (value === unknownValue) return new Other("o").id;
  if (isSecret(value)) return pulumi.secret(inputOf(secretContent(value)));
  if (Array.isArray(value)) return value.map(inputOf);
  return isMap(value) ? mapValues(value, inputOf) : value;
}

async function makeInPlugin(args: PropertyMap, preview = false): Promise<Fleet> {
  await plugin.attach("127.0.0.1:1");
  const { baseUrl } = service;
  await plugin.configure({ baseUrl, publicKey: "publickey", privateKey: "private-key-0001", allowHttp: "true" });
  const { address, registered } = await startMonitorOf(plugin, { goesOn: true });
  const request = new messages.ConstructRequest().setMonitorendpoint(address).setDryrun(preview);
  const { outputs } = await plugin.construct(args, request);
  const children = registered.slice(1).map((each) => ({
    name: each.getName(),
    inputs: parseProperties(each.getObject()?.toJavaScript()),
  }));
  // An absent setting is null in an output of the plugin.
  const configs = JSON.parse(JSON.stringify(outputs["configs"]), (_, value) => value ?? undefined);
  return { configs, children: () => children };
}

const isKnown = async (output: pulumi.Output<unknown>) => "isKnown" in output && (await output.isKnown) === true;

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  // A failed Output is told by the rejection of its promise alone.
  if (!("promise" in output && typeof output.promise === "function")) throw new TypeError("no promise");
  return output.promise();
}

describe.each([
  { way: "program", make: makeInProgram },
  { way: "plugin", make: makeInPlugin },
])("a fleet of the $way", ({ way, make }) => {
  it("has a child of each agent of each project, once, and returns their settings in the order of the lists", async () => {
    const { configs, children } = await make({ projectIds: [TWO, ONE, TWO.toUpperCase(), TWO] });
    expect(configs).toEqual([
      { id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
      { id: `${TWO}/backup`, projectId: TWO, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
      { id: `${ONE}/monitoring`, projectId: ONE, agent: "monitoring", logPath: "/one" },
      { id: `${ONE}/backup`, projectId: ONE, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
    ]);
    const names = [TWO, ONE].flatMap((id) => [`fleet-${id}-monitoring`, `fleet-${id}-backup`]);
    expect(namesOf(children())).toEqual(names);
  });

  it("names its children by the names of a map, in their order, each with a record of its own", async () => {
    const projects = { orders: TWO, billing: ONE, "Team/Øst 1": TWO.toUpperCase() };
    const { configs, children } = await make({ projects, agents: ["monitoring"] });
    expect(configs).toEqual([
      { name: "Team/Øst 1", id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
      { name: "billing", id: `${ONE}/monitoring`, projectId: ONE, agent: "monitoring", logPath: "/one" },
      { name: "orders", id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
    ]);
    const names = ["Team/Øst 1", "billing", "orders"].map((name) => `fleet-${name}-monitoring`);
    expect(namesOf(children()).toSorted()).toEqual(names);
  });

  it.each<{ description: string; args: PropertyMap; secrets?: readonly string[] }>([
    { description: "one project", args: { projects: { a: ONE, b: secret(TWO) } }, secrets: [TWO] },
    { description: "one id", args: { projectIds: [ONE, secret(TWO)] }, secrets: [TWO] },
    { description: "the map", args: { projects: secret({ a: ONE, b: TWO }) } },
    { description: "the list", args: { projectIds: secret([ONE, TWO.toUpperCase()]) } },
    { description: "the list of agents", args: { projectIds: [ONE, TWO], agents: secret(["monitoring"]) } },
  ])("keeps its output and the ids of its children secret where $description is", async ({ args, secrets }) => {
    const { configs, children } = await make({ agents: ["monitoring"], ...args });
    expect(configs).toEqual(secret([expect.anything(), expect.anything()]));
    const ids = children().map(({ inputs }) => inputs["projectId"] ?? null);
    expect(ids.map(withoutSecrets).toSorted()).toEqual([ONE, TWO]);
    // The plugin does not ask which one it is.
    const sealed = way === "plugin" ? [ONE, TWO] : (secrets ?? [ONE, TWO]);
    expect(ids.filter(isSecret).map(withoutSecrets).toSorted()).toEqual(sealed);
  });

  it.each<{ description: string; args: PropertyMap; children: readonly string[] }>([
    { description: "list", args: { projectIds: unknownValue }, children: [] },
    { description: "map", args: { projects: unknownValue }, children: [] },
    { description: "list of agents", args: { projectIds: [ONE], agents: unknownValue }, children: [] },
    { description: "one id", args: { projectIds: [unknownValue, ONE] }, children: [ONE] },
    { description: "one project", args: { projects: { a: ONE, b: unknownValue } }, children: ["a", "b"] },
    {
      description: "one project beside late agents",
      args: { projects: { a: ONE, b: unknownValue }, agents: secret(["monitoring"]) },
      children: ["a", "b"],
    },
    {
      description: "one agent",
      args: { projectIds: [ONE], agents: [unknownValue, "monitoring"] },
      // The SDK waits for all of them.
      children: way === "plugin" ? [ONE] : [],
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

  it.each<{ args: PropertyMap; why: string }>([
    { args: { projectIds: [ONE], expects: {} }, why: "expects is no argument of it" },
    { args: { projectIds: [ONE], agents: ["backups"] }, why: 'agents must be "monitoring" or "backup", not "backups"' },
  ])("is refused for $args", async ({ args, why }) => {
    await expect(make(args)).rejects.toThrow(`AgentLogConfigs 'fleet' can't be made: ${why}. See https:`);
  });
});

describe("AgentLogConfigs", () => {
  it("takes promises and Outputs, which are no secret, and what turns out to be absent is not given", async () => {
    inDeployment();
    const projects = Promise.resolve({ a: ONE, b: pulumi.output(TWO) });
    const agents = [pulumi.output("monitoring" as const)];
    const { configs } = new AgentLogConfigs("fleet", { projects, projectIds: undefined, agents });
    expect(await resolved(configs)).toMatchObject([{ logPath: "/one" }, { logPath: "/two" }]);
    expect(await pulumi.isSecret(configs)).toBe(false);
  });

  it.each<{ args: () => AgentLogConfigsArgs; why: string }>([
    {
      args: () => ({ projects: Promise.resolve<never>(JSON.parse('["a"]')) }),
      why: "projects must be a map from names to project ids.",
    },
    {
      args: () => ({ projectIds: [ONE], agents: pulumi.secret<never>(JSON.parse('["backups"]')) }),
      why: 'agents must be "monitoring" or "backup".',
    },
  ])("is refused in one line where its arguments turn out late to be wrong: $why", async ({ args, why }) => {
    inDeployment();
    const reasons = catchRejections();
    const { configs } = new AgentLogConfigs("fleet", args());
    await expect(resolved(configs)).rejects.toMatchObject({ stack: expect.stringMatching(/^[^\n]+$/) });
    await expect(resolved(configs)).rejects.toThrow(`AgentLogConfigs 'fleet' can't be made: ${why}`);
    await vi.waitUntil(() => reasons.length > 0);
  });

  it("makes its children before the constructor returns, so that dependsOn finds them", async () => {
    const children = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE, pulumi.output(TWO)], ...MONITORING });
    const dependencies = await dependenciesOf(fleet, new Set());
    await resolved(fleet.configs);
    expect(dependencies).toHaveLength(1);
    expect(namesOf(children())).toEqual([`fleet-${ONE}-monitoring`, `fleet-${TWO}-monitoring`]);
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
