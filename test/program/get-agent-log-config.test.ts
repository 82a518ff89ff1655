import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AgentLogConfig, getAgentLogConfig, getAgentLogConfigOutput, Provider } from "../../sdk/index.ts";
import { readSettings } from "../../sdk/program/read-once.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { CA_FILE } from "../client/test-certificate.ts";

const PROJECT_ID = "0123456789abcdef01234567";

let service: Service;

beforeAll(async () => {
  service = await startService();
  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log", configOverrides: { mmsApiKey: "k" } });
  vi.stubEnv("AGENT_LOG_CONFIG_BASE_URL", service.baseUrl);
  vi.stubEnv("AGENT_LOG_CONFIG_PUBLIC_KEY", "publickey");
  vi.stubEnv("AGENT_LOG_CONFIG_PRIVATE_KEY", "private-key-0001");
  vi.stubEnv("AGENT_LOG_CONFIG_ALLOW_HTTP", "true");
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
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
  pulumi.runtime.setMocks(
    {
      newResource: ({ name, type, inputs }) => ({
        id: preview && type !== "test:index:Group" ? "" : name,
        state: inputs,
      }),
      call: () => ({ logPath: "/var/log/agent.log" }),
    },
    "project",
    "stack",
    preview,
  );
}

interface Case {
  readonly description: string;
  readonly preview: boolean;
  readonly given: () => { projectId: pulumi.Input<string>; dependsOn?: pulumi.InvokeOutputOptions["dependsOn"] };
}

const CASES: readonly Case[] = [
  { description: "plain arguments", preview: true, given: () => ({ projectId: PROJECT_ID }) },
  { description: "an Output", preview: true, given: () => ({ projectId: pulumi.output(PROJECT_ID) }) },
  { description: "a Promise", preview: true, given: () => ({ projectId: Promise.resolve(PROJECT_ID) }) },
  {
    description: "an Output in an Output",
    preview: true,
    given: () => ({ projectId: pulumi.output({ a: pulumi.output(PROJECT_ID) }).a }),
  },
  { description: "a secret", preview: true, given: () => ({ projectId: pulumi.secret(PROJECT_ID) }) },
  {
    description: "an unknown argument",
    preview: true,
    given: () => ({ projectId: new Other("o", "x").id.apply(() => PROJECT_ID) }),
  },
  {
    description: "a known argument of a resource that is still to be created",
    preview: true,
    given: () => ({ projectId: new Other("o", PROJECT_ID).value }),
  },
  {
    description: "an argument of a resource",
    preview: false,
    given: () => ({ projectId: new Other("o", PROJECT_ID).value }),
  },
  {
    description: "dependsOn a resource that is still to be created",
    preview: true,
    given: () => ({ projectId: PROJECT_ID, dependsOn: new Other("o", "x") }),
  },
  {
    description: "dependsOn a list of Outputs of such resources",
    preview: true,
    given: () => ({ projectId: PROJECT_ID, dependsOn: [pulumi.output(new Other("o", "x"))] }),
  },
  {
    description: "dependsOn a component with such a child",
    preview: true,
    given: () => ({ projectId: PROJECT_ID, dependsOn: new Group("g") }),
  },
  {
    description: "dependsOn a resource that exists",
    preview: false,
    given: () => ({ projectId: PROJECT_ID, dependsOn: new Other("o", "x") }),
  },
];

describe("getAgentLogConfigOutput", () => {
  it.each(CASES)("behaves as the SDK's own invoke with $description", async ({ preview, given }) => {
    inDeployment(preview);
    const { projectId, dependsOn } = given();
    const opts = dependsOn === undefined ? {} : { dependsOn };
    const theirs = pulumi.runtime.invokeOutput<{ logPath: string }>("test:index:get", { projectId }, opts);
    const ours = getAgentLogConfigOutput({ projectId, agent: "monitoring" }, opts);
    expect(await look(ours.logPath)).toEqual(await look(theirs.apply(({ logPath }) => logPath)));
  });

  it("does not quote an argument that is secret", async () => {
    inDeployment(true);
    const args = { projectId: "body-project-0001", agent: "monitoring" } as const;
    const failed = readSettings({ texts: {}, hasWaited: false }, args, { hasWaited: false, secret: true });
    await expect(failed).rejects.toThrow("Nothing was read: projectId must be 24 hexadecimal digits. See");
  });

  it("waits for what its Provider depends on", async () => {
    inDeployment(true);
    const others = [new Other("o", "x")];
    const waiting = [
      new Provider("by-option", {}, { dependsOn: others }),
      new Provider("by-argument", { publicKey: new Other("k", "publickey").value }),
    ];
    for (const provider of waiting) {
      const output = getAgentLogConfigOutput({ projectId: PROJECT_ID, agent: "monitoring" }, { provider });
      expect(await look(output.logPath)).toMatchObject({ known: false });
    }
    const provider = new Provider("plain");
    const output = getAgentLogConfigOutput({ projectId: PROJECT_ID, agent: "monitoring" }, { provider });
    expect(await look(output.logPath)).toMatchObject({ known: true, value: "/var/log/agent.log" });
  });

  it("makes configOverrides a secret, and nothing else", async () => {
    inDeployment(true);
    const output = getAgentLogConfigOutput({ projectId: PROJECT_ID, agent: "monitoring" });
    expect(await look(output.apply(({ configOverrides }) => configOverrides))).toMatchObject({
      secret: true,
      value: { mmsApiKey: "k" },
    });
    expect(await look(output.logPath)).toMatchObject({ secret: false });
  });
});

describe("getAgentLogConfig", () => {
  beforeEach(() => inDeployment(true));

  it("makes configOverrides a secret", async () => {
    const { configOverrides, ...plain } = await getAgentLogConfig({ projectId: PROJECT_ID, agent: "monitoring" });
    expect(await look(configOverrides)).toMatchObject({ secret: true, value: { mmsApiKey: "k" } });
    expect(plain).toMatchObject({ id: `${PROJECT_ID}/monitoring`, logPath: "/var/log/agent.log" });
  });

  it("opens a connection anew that could not be opened", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "ca-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const caCertificate = path.join(folder, "ca.pem");
    const read = () =>
      getAgentLogConfig(
        { projectId: PROJECT_ID, agent: "monitoring" },
        { provider: new Provider("p", { caCertificate }) },
      );
    await expect(read()).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE" });
    await copyFile(CA_FILE, caCertificate);
    expect(await read()).toMatchObject({ logPath: "/var/log/agent.log" });
  });

  it("rejects with one line that Pulumi prints as it is", async () => {
    const message =
      'Nothing was read: projectId must be 24 hexadecimal digits, not "0123". See https://www.npmjs.com/package/pulumi-agent-log-config#err_invalid_arg_value';
    const failed = getAgentLogConfig({ projectId: "0123", agent: "monitoring" });
    await expect(failed).rejects.toSatisfy(pulumi.RunError.isInstance);
    await expect(failed).rejects.toMatchObject({
      code: "ERR_INVALID_ARG_VALUE",
      message,
      stack: message,
    });
  });
});

describe("AgentLogConfig", () => {
  it("is refused without arguments", () => {
    inDeployment(true);
    expect(() => Reflect.construct(AgentLogConfig, ["logs"])).toThrow(
      "AgentLogConfig 'logs' has no arguments; give it projectId and agent.",
    );
  });

  it("is known to a policy by its type alone", () => {
    const type = "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig";
    expect(AgentLogConfig.isInstance({ __pulumiType: type })).toBe(true);
    expect(AgentLogConfig.isInstance({ __pulumiType: "pulumi-nodejs:dynamic:Resource" })).toBe(false);
  });
});

describe("a provider of another package", () => {
  it("is refused as the caller's mistake that it is", async () => {
    inDeployment(true);
    const provider = new (class extends pulumi.ProviderResource {})("other", "p", {});
    await expect(getAgentLogConfig({ projectId: PROJECT_ID, agent: "monitoring" }, { provider })).rejects.toMatchObject(
      {
        code: "ERR_INVALID_ARG_VALUE",
        cause: { name: "TypeError" },
      },
    );
  });
});

describe("Provider", () => {
  it("refuses settings that there are none of", () => {
    inDeployment(true);
    const mistaken = { publicKey: "k", basUrl: "https://example.com" };
    expect(() => new Provider("p", mistaken)).toThrow(
      "Provider 'p' has unknown settings: basUrl (did you mean baseUrl?). The known ones are: baseUrl, publicKey,",
    );
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
  if (!hasInternals(output)) throw new TypeError("The SDK's Outputs look different now.");
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
