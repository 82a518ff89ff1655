import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { AgentLogConfig, type AgentLogConfigArgs } from "../../sdk/index.ts";
import { isObject } from "../../sdk/text/json.ts";
import { catchRejections, connectService, setEngine } from "./set-engine.ts";

const PROJECT_ID = "0123456789abcdef01234567";

/** Returns what the engine is told of a resource. */
async function inputsOf(
  args: Partial<AgentLogConfigArgs>,
  opts: pulumi.CustomResourceOptions = {},
): Promise<Readonly<Record<string, unknown>>> {
  await connectService({ [PROJECT_ID]: { monitoring: { logPath: "/l", configOverrides: { key: "k" } } } });
  let told = {};
  setEngine({
    newResource: ({ inputs, name }) => {
      told = inputs;
      return { id: name, state: inputs };
    },
  });
  const resource = new AgentLogConfig("settings", { projectId: PROJECT_ID, agent: "monitoring", ...args }, opts);
  await new Promise((resolve) => resource.urn.apply(resolve));
  // The origin travels as a text.
  return JSON.parse(JSON.stringify(told), (name, value) => (name === "__origin" ? parsedOrigin(value) : value));
}

function parsedOrigin(origin: unknown): unknown {
  if (typeof origin === "string") return JSON.parse(origin);
  return isObject(origin) ? { ...origin, value: JSON.parse(String(origin["value"])) } : origin;
}

it.each<[description: string, args: Partial<AgentLogConfigArgs>, additionalSecretOutputs: string[], secrets: object]>([
  ["secret settings", { expect: { logPath: "/l" } }, [], ["configOverrides"]],
  ["settings that the program names a secret", {}, ["username"], ["configOverrides", "username"]],
  [
    "any setting where what is expected is a secret",
    { expect: pulumi.secret({ logPath: "/l" }) },
    [],
    expect.arrayContaining(["logPath", "username", "configOverrides"]),
  ],
  [
    "any setting where what is expected of one is a secret",
    { expect: { logPath: pulumi.secret("/l") } },
    [],
    expect.arrayContaining(["logPath"]),
  ],
])("lets no message quote %s", async (_, args, additionalSecretOutputs, secrets) => {
  expect(await inputsOf(args, { additionalSecretOutputs })).toMatchObject({ __origin: { secrets } });
});

const secret = (value: unknown) => ({ "4dabf18193072939515e22adb298388d": expect.any(String), value });

it("leaves the read to a provider of another package", async () => {
  setEngine({ newResource: ({ inputs, name }) => ({ id: name, state: inputs }) });
  const provider = new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "foreign", {});
  const origin = { name: "settings", secrets: ["configOverrides"], ignoreChanges: [] };
  expect((await inputsOf({}, { provider }))["__origin"]).toEqual(origin);
});

it("leaves an argument that is invalid to the check, and quotes it nowhere else", async () => {
  const { projectId, ...others } = await inputsOf({ projectId: pulumi.secret("orders") });
  expect(others["__origin"]).toEqual(
    secret({ name: "settings", secrets: ["configOverrides", "projectId"], ignoreChanges: [] }),
  );
  expect(JSON.stringify(others)).not.toContain("orders");
});

it("sends settings in the clear where an argument is a secret, as every resource of Pulumi does", async () => {
  const inputs = await inputsOf({ projectId: pulumi.secret(PROJECT_ID) });
  expect(inputs).toMatchObject({ projectId: secret(PROJECT_ID), logPath: "/l", configOverrides: secret({ key: "k" }) });
  expect(inputs["__origin"]).toMatchObject(secret({ read: { readTarget: { id: `${PROJECT_ID}/monitoring` } } }));
});

it("sends what is named a secret, and configOverrides, as secrets", async () => {
  expect(await inputsOf({}, { additionalSecretOutputs: ["logPath"] })).toMatchObject({
    logPath: secret("/l"),
    configOverrides: secret({ key: "k" }),
    username: "",
    logRotate: {},
  });
});

it.each(["what is adopted", "a unit test"])("reads nothing itself in a preview for %s", async (what) => {
  const newResource = ({ inputs, name }: pulumi.runtime.MockResourceArgs) => ({ id: name, state: inputs });
  if (what === "a unit test") pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "p", "s", true);
  else setEngine({ newResource }, { preview: true });
  const made = Promise.withResolvers<unknown>();
  const program = async () => {
    if (what === "a unit test") new AgentLogConfig("settings", { projectId: PROJECT_ID, agent: "monitoring" });
    else AgentLogConfig.get("adopted", `${PROJECT_ID}/monitoring`);
  };
  await pulumi.runtime.runInPulumiStack(() => program().then(made.resolve, made.reject));
  await expect(made.promise).resolves.toBeUndefined();
});

const HERE = expect.stringMatching(/agent-log-config\.test\.ts:\d+/);

it("shows where the program makes a resource in the stack of an error that the SDK throws", () => {
  setEngine({ newResource: ({ inputs, name }) => ({ id: name, state: inputs }) });
  const make = () => new AgentLogConfig("", { projectId: PROJECT_ID, agent: "monitoring" });
  expect(make).toThrow(expect.objectContaining({ message: expect.stringContaining("name"), stack: HERE }));
});

it("shows where the program makes a resource in the stack of the error for what the engine refuses", async () => {
  const reasons = catchRejections();
  setEngine({ newResource: () => Promise.reject(new Error("refused")) });
  new AgentLogConfig("settings", { projectId: PROJECT_ID, agent: "monitoring" });
  const message = expect.stringContaining("failed to register new resource settings");
  await vi.waitFor(() => expect(reasons).toContainEqual(expect.objectContaining({ message, stack: HERE })));
});
