import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  AGENT_LOG_CONFIG_TYPE,
  AgentLogConfig,
  AgentLogConfigError,
  getAgentLogConfig,
  getAgentLogConfigOutput,
  Provider,
} from "../../sdk/index.ts";
import { catchRejections, connectService, setEngine } from "./set-engine.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const MONITORING = { projectId: PROJECT_ID, agent: "monitoring" } as const;

beforeEach(async () => {
  await connectService({
    [PROJECT_ID]: { monitoring: { logPath: "/var/log/agent.log", configOverrides: { mmsApiKey: "k" } } },
  });
});

/** A resource of another package; in a preview of a new one its id is not known yet. */
class Other extends pulumi.CustomResource {
  declare readonly value: pulumi.Output<string>;

  constructor(name: string, value: pulumi.Input<string>, opts?: pulumi.CustomResourceOptions) {
    super("test:index:Other", name, { value }, opts);
  }
}

class Group extends pulumi.ComponentResource {
  constructor(name: string) {
    super("test:index:Group", name);
    new Other(`${name}-child`, "x", { parent: this });
  }
}

function inDeployment(preview: boolean): void {
  setEngine(
    {
      newResource: ({ name, type, inputs }) => {
        return { id: preview && type !== "test:index:Group" ? "" : name, state: inputs };
      },
      call: () => ({ logPath: "/var/log/agent.log" }),
    },
    { preview },
  );
}

type Given = { readonly projectId: pulumi.Input<string> } & Pick<pulumi.InvokeOutputOptions, "dependsOn">;

const CASES: readonly [description: string, preview: boolean, given: () => Given][] = [
  ["plain arguments", true, () => ({ projectId: PROJECT_ID })],
  ["an Output", true, () => ({ projectId: pulumi.output(PROJECT_ID) })],
  ["a secret", true, () => ({ projectId: pulumi.secret(PROJECT_ID) })],
  ["an unknown argument", true, () => ({ projectId: new Other("o", "x").id.apply(() => PROJECT_ID) })],
  ["what a resource knows that is to be created", true, () => ({ projectId: new Other("o", PROJECT_ID).value })],
  ["an argument of a resource", false, () => ({ projectId: new Other("o", PROJECT_ID).value })],
  ["dependsOn a resource to be created", true, () => ({ projectId: PROJECT_ID, dependsOn: new Other("o", "x") })],
  [
    "dependsOn a list of Outputs of such resources",
    true,
    () => ({ projectId: PROJECT_ID, dependsOn: [pulumi.output(new Other("o", "x"))] }),
  ],
  ["dependsOn a component with such a child", true, () => ({ projectId: PROJECT_ID, dependsOn: new Group("g") })],
];

it("sends a wrong key once outside of a program, too, and does not warn of a configuration again and again", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockReturnValue(Promise.resolve());
  pulumi.runtime.setAllConfig({ "agent-log-config:baseURL": "misspelt" });
  onTestFinished(() => {
    warn.mockRestore();
    pulumi.runtime.setAllConfig({});
  });
  const service = await connectService({});
  service.rotateKey("another");
  setEngine({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }) });
  expect(pulumi.runtime.getStackResource()).toBeUndefined();
  const reads = Array.from({ length: 20 }, () => getAgentLogConfig(MONITORING));
  for (const { status } of await Promise.allSettled(reads)) expect(status).toBe("rejected");
  expect(service.requests.filter(({ status }) => status === 401)).toHaveLength(2);
  expect(warn).not.toHaveBeenCalled();
});

it("throws an error that the SDK prints as its message alone, and whose message a program may change", async () => {
  inDeployment(true);
  const gone = getAgentLogConfig({ projectId: "f".repeat(24), agent: "monitoring" });
  const error = await gone.catch((thrown: unknown) => thrown);
  if (!(error instanceof AgentLogConfigError)) throw new TypeError("no error");
  expect(error).toMatchObject({ code: "ERR_PROJECT_NOT_FOUND", status: 404, errorCode: "GROUP_NOT_FOUND" });
  const says = expect.stringMatching(/^Can't read .*#err_project_not_found\.$/);
  expect([error.message, error.stack]).toEqual([says, says]);
  // As the SDK does for each input of a resource that fails.
  error.message = `error serializing property "input": ${error.message}`;
  expect([error.message, error.stack]).toEqual([says, says]);
  error.message = `orders: ${error.message}`;
  expect(error.stack).toMatch(/^orders: Can't read /);
});

describe("getAgentLogConfigOutput", () => {
  it.each([
    ["an Output", pulumi.output("orders"), true],
    ["a secret", pulumi.secret("orders"), false],
  ])("may quote what is wrong in %s: %3$s", async (_, projectId, isQuoted) => {
    inDeployment(true);
    const reasons = catchRejections();
    getAgentLogConfigOutput({ projectId, agent: "monitoring" });
    await vi.waitUntil(() => reasons.length > 0);
    expect(String(reasons)).toContain(`24 hexadecimal digits${isQuoted ? ', not "orders"' : ""}. See`);
  });

  it.each(CASES)("behaves as the SDK's own invoke with %s", async (_, preview, given) => {
    inDeployment(preview);
    const { projectId, ...opts } = given();
    const theirs = pulumi.runtime.invokeOutput<{ logPath: string }>("test:index:get", { projectId }, opts);
    const ours = getAgentLogConfigOutput({ projectId, agent: "monitoring" }, opts);
    expect(await look(ours.logPath)).toEqual(await look(theirs.apply(({ logPath }) => logPath)));
  });

  it("waits for what its Provider depends on", async () => {
    inDeployment(true);
    const others = [new Other("o", "x")];
    const waiting = [
      new Provider("by-option", {}, { dependsOn: others }),
      new Provider("by-argument", { publicKey: new Other("k", "publickey").value }),
    ];
    for (const provider of waiting) {
      const output = getAgentLogConfigOutput(MONITORING, { provider });
      expect(await look(output.logPath)).toMatchObject({ known: false });
    }
    const provider = new Provider("plain");
    const output = getAgentLogConfigOutput(MONITORING, { provider });
    expect(await look(output.logPath)).toMatchObject({ known: true, value: "/var/log/agent.log" });
  });

  it("makes configOverrides a secret, and nothing else", async () => {
    inDeployment(true);
    const output = getAgentLogConfigOutput(MONITORING);
    expect(await look(output.apply(({ configOverrides }) => configOverrides))).toMatchObject({
      secret: true,
      value: { mmsApiKey: "k" },
    });
    expect(await look(output.logPath)).toMatchObject({ secret: false });
  });
});

describe("AgentLogConfig", () => {
  it("refuses to be created without arguments", () => {
    inDeployment(true);
    expect(() => Reflect.construct(AgentLogConfig, ["logs"])).toThrow(
      "AgentLogConfig 'logs' has no arguments; pass projectId and agent.",
    );
  });

  it("is known to a policy by its type alone", () => {
    expect(AgentLogConfig.isInstance({ __pulumiType: AGENT_LOG_CONFIG_TYPE })).toBe(true);
    expect(AgentLogConfig.isInstance({ __pulumiType: "agent-log-config:index:AgentLogConfig" })).toBe(true);
    expect(AgentLogConfig.isInstance({ __pulumiType: "pulumi-nodejs:dynamic:Resource" })).toBe(false);
  });
});

describe("Provider", () => {
  it("refuses unknown settings, and names the valid ones", () => {
    inDeployment(true);
    const mistaken = { publicKey: "k", basUrl: "https://example.com" };
    expect(() => new Provider("p", mistaken)).toThrow(
      "Provider 'p' has unknown settings: basUrl; the valid ones are baseUrl, publicKey, privateKey, caCertificate,",
    );
  });

  it("is refused by the functions where it is of another package", async () => {
    inDeployment(true);
    const provider = new (class extends pulumi.ProviderResource {})("other", "p", {});
    await expect(getAgentLogConfig(MONITORING, { provider })).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE" });
  });
});

interface Look {
  readonly known: boolean;
  readonly secret: boolean;
  readonly value: unknown;
  readonly resources: readonly string[];
}

/** What the engine would be told of an Output. */
async function look(output: pulumi.Output<unknown>): Promise<Look> {
  if (!hasInternals(output)) throw new TypeError("Outputs of the SDK have other properties now.");
  const value = await output.promise();
  const known = await output.isKnown;
  const resources = await Promise.all([...(await output.allResources())].map(({ urn }) => nameOf(urn)));
  // An unknown value has nothing else to be compared.
  return known
    ? { known, secret: await output.isSecret, value, resources: resources.sort() }
    : { known, secret: false, value: undefined, resources: [] };
}

interface OutputInternals {
  promise(): Promise<unknown>;
  allResources(): Promise<ReadonlySet<pulumi.Resource>>;
  readonly isKnown: Promise<boolean>;
  readonly isSecret: Promise<boolean>;
}

function hasInternals(output: object): output is OutputInternals {
  return "promise" in output && "allResources" in output && "isKnown" in output && "isSecret" in output;
}

function nameOf(urn: pulumi.Output<string>): Promise<string> {
  return new Promise((resolve) => void urn.apply(resolve));
}
