import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { AgentLogConfigs, Provider } from "../../sdk/index.ts";
import { plainValueOf } from "../../sdk/program/private-sdk.ts";
import { parseProperties, secret, unknownValue, withoutSecrets } from "../stand-in-engine/property-value.ts";
import { setEngine } from "./set-engine.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"];

/** A resource of another package; in a preview it is still to be created. */
class Other extends pulumi.CustomResource {
  constructor() {
    super("test:index:Other", "other", {});
  }
}

interface Shape {
  readonly args: () => object;
  readonly opts?: () => pulumi.CustomResourceOptions;
  readonly preview?: boolean;
}

/** Returns what the engine is told of a fleet, with its origin taken out of the text if it is known. */
async function inputsOf({ args, opts = () => ({}), preview = false }: Shape) {
  let told = {};
  const newResource = ({ type, name, inputs }: pulumi.runtime.MockResourceArgs) => {
    if (AgentLogConfigs.isInstance({ __pulumiType: type })) told = inputs;
    return { id: preview && name === "other" ? "" : name, state: inputs };
  };
  setEngine({ newResource }, { preview });
  const fleet: AgentLogConfigs = Reflect.construct(AgentLogConfigs, ["fleet", args(), opts()]);
  await new Promise((resolve) => fleet.urn.apply(resolve));
  const text = JSON.stringify(told, (_, value) => (pulumi.isUnknown(value) ? unknownValue : value));
  const { __origin, ...inputs } = parseProperties(JSON.parse(text));
  const origin = String(withoutSecrets(__origin ?? null));
  return { inputs, origin: origin === unknownValue ? origin : JSON.parse(origin) };
}

const SECRETS = ["configOverrides"];

describe("a fleet sends", () => {
  it.each<Shape & { sent: object; secrets?: readonly string[] }>([
    { args: () => ({ projects: { one: ONE } }), sent: { projects: { one: ONE } } },
    {
      args: () => ({ projects: Promise.resolve({ one: ONE, two: pulumi.output(TWO) }), agents: ["backup"] }),
      sent: { projects: { one: ONE, two: TWO }, agents: ["backup"] },
    },
    { args: () => ({}), sent: { projects: null } },
    { args: () => ({ projects: [ONE] }), sent: { projects: [ONE] } },
    {
      // An output of another stack is undefined if it does not exist.
      args: () => ({ projects: { one: ONE, two: undefined, three: pulumi.output(undefined) } }),
      sent: { projects: { one: ONE, two: null, three: null } },
    },
    {
      args: () => ({ projects: { one: pulumi.secret(ONE), two: TWO } }),
      // The mocks seal the whole of an argument.
      sent: { projects: secret({ one: ONE, two: TWO }) },
      secrets: ["projects", "configs"],
    },
    {
      args: () => ({ projects: pulumi.secret({ one: ONE }) }),
      sent: { projects: secret({ one: ONE }) },
      secrets: ["projects", "configs"],
    },
    {
      args: () => ({ projects: {} }),
      opts: () => ({ additionalSecretOutputs: ["configs"] }),
      sent: { projects: {} },
      secrets: ["configs"],
    },
    {
      args: () => ({ projects: {} }),
      opts: () => ({ provider: new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "foreign", {}) }),
      sent: { projects: {} },
    },
  ])("its arguments, and which of them are secrets: $sent", async ({ sent, secrets = [], ...shape }) => {
    const { inputs, origin } = await inputsOf(shape);
    const internal = { __provider: expect.stringContaining("dynamic-provider"), __failsIn: "update" };
    expect(inputs).toEqual({ ...sent, ...internal });
    expect(origin).toEqual({ name: "fleet", secrets: [...SECRETS, ...secrets], ignoreChanges: [] });
  });

  const projects = { one: ONE, two: TWO };
  it.each<Shape & { description: string }>([
    { description: "what it depends on", args: () => ({ projects }), opts: () => ({ dependsOn: new Other() }) },
    { description: "its parent", args: () => ({ projects }), opts: () => ({ parent: new Other() }) },
    {
      description: "what its Provider depends on",
      args: () => ({ projects }),
      opts: () => ({ provider: new Provider("west", {}, { dependsOn: new Other() }) }),
    },
    {
      description: "what its map comes from",
      args: () => ({ projects: new Other().urn.apply(() => projects) }),
    },
    { description: "its list of agents", args: () => ({ projects, agents: new Other().urn.apply(() => ["backup"]) }) },
  ])("no origin in a preview in which $description is still to be created, so that nothing is read", async (shape) => {
    expect((await inputsOf({ ...shape, preview: true })).origin).toBe(unknownValue);
    expect((await inputsOf(shape)).origin).toMatchObject({ name: "fleet" });
  });

  it("the ids that are known in a preview in which another project, or what is expected, is still to be created", async () => {
    const two = () => new Other().urn.apply(() => TWO);
    const args = () => ({
      projects: { one: pulumi.output(ONE), two: two(), three: Promise.resolve(TWO) },
      expect: { logPath: new Other().urn.apply(() => "/l") },
    });
    const { inputs, origin } = await inputsOf({ args, preview: true });
    expect(inputs["projects"]).toEqual({ one: ONE, two: unknownValue, three: TWO });
    expect(origin).toMatchObject({ name: "fleet" });
  });
});

it.each([{ id: "fleet" }, { import: "fleet" }])("a fleet can't be made with %o", (opts) => {
  expect(() => new AgentLogConfigs("fleet", { projects: {} }, opts)).toThrow(
    "AgentLogConfigs 'fleet' can't be imported or read by an id; leave out the option, because it only reads.",
  );
});

it("a fleet has undefined for texts that are not set, and nothing where one member is unknown", async () => {
  const configsOf = async (configs: object): Promise<unknown> => {
    setEngine({ newResource: ({ name }) => ({ id: name, state: { configs } }) }, { preview: true });
    return plainValueOf(new AgentLogConfigs("fleet", { projects: {} }).configs);
  };
  const texts = { logPath: "", logPathWindows: "", username: "" };
  const known = { "one/monitoring": { ...texts, logPath: "/l" }, "one/backup": texts };
  expect(await configsOf(known)).toEqual({ "one/monitoring": { logPath: "/l" }, "one/backup": {} });
  expect(await configsOf({ ...known, "two/backup": { ...texts, logPath: unknownValue } })).toBeUndefined();
});

it.each([
  ["pulumi-nodejs:dynamic/agentLogConfigs:AgentLogConfigs", true],
  ["agent-log-config:index:AgentLogConfigs", true],
  ["agent-log-config:index:AgentLogConfig", false],
  [undefined, false],
])("a policy tells a fleet by its type: %s", (__pulumiType, isFleet) => {
  expect(AgentLogConfigs.isInstance({ __pulumiType })).toBe(isFleet);
});
