import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SECRET_SIGNATURE, SIGNATURE_KEY } from "../../sdk/engine/engine-marks.ts";
import { AgentLogConfig, getAgentLogConfig, getAgentLogConfigOutput, Provider } from "../../sdk/index.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { type Fault, queueFaults } from "../testing/queue-faults.ts";
import { connectService, setEngine } from "./set-engine.ts";

const MONITORING = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
const ALL = {
  baseUrl: "https://example.com",
  publicKey: "publickey",
  privateKey: "private-key-0001",
  caCertificate: "/ca.pem",
  allowHttp: true,
  timeoutSeconds: 5,
  maxRetries: 1,
};

const { baseUrl: _, ...ALL_BUT_ADDRESS } = ALL;

/** What the engine is told of each resource. */
let inputs: Record<string, Readonly<Record<string, unknown>>>;

beforeEach(() => {
  inputs = {};
  setEngine({
    newResource: (args) => {
      inputs[args.name] = args.inputs;
      return { id: args.name, state: args.inputs };
    },
  });
});

afterEach(() => {
  pulumi.runtime.setAllConfig({});
  vi.unstubAllEnvs();
});

/** Returns the inputs of a resource that the engine gets as secrets. */
async function secretsOf(resource: pulumi.Resource, name: string): Promise<string[]> {
  await new Promise((resolve) => resource.urn.apply(resolve));
  const recorded = inputs[name] ?? {};
  const isSecret = (value: unknown) => JSON.stringify(value)?.includes(`"${SIGNATURE_KEY}":"${SECRET_SIGNATURE}"`);
  return Object.keys(recorded)
    .filter((key) => isSecret(recorded[key]))
    .sort();
}

describe("a Provider takes the variables of the environment that its option maps", () => {
  it.each<[description: string, environment: Readonly<Record<string, string>>, expected: string | undefined]>([
    ["before the variable itself", { WEST_URL: "https://west.example.com" }, "https://west.example.com"],
    ["only where they are set, since every machine has an environment of its own", {}, undefined],
    ["also where they are empty, which is no value", { WEST_URL: "" }, undefined],
  ])("%s", async (_, environment, expected) => {
    for (const [name, text] of Object.entries({
      AGENT_LOG_CONFIG_BASE_URL: "https://east.example.com",
      ...environment,
    }))
      vi.stubEnv(name, text);
    const envVarMappings = { WEST_URL: "AGENT_LOG_CONFIG_BASE_URL", OTHER: "AGENT_LOG_CONFIG_PUBLIC_KEY" };
    await secretsOf(new Provider("west", {}, { envVarMappings }), "west");
    expect(inputs["west"]?.["agent-log-config:baseUrl"]).toBe(expected);
  });

  it("after the stack configuration, and names them", async () => {
    vi.stubEnv("WEST_URL", "ftp://west.example.com");
    const provider = new Provider("west", ALL_BUT_ADDRESS, {
      envVarMappings: { WEST_URL: "AGENT_LOG_CONFIG_BASE_URL" },
    });
    await expect(getAgentLogConfig(MONITORING, { provider })).rejects.toThrow(
      "baseUrl (the environment variable WEST_URL)",
    );
    pulumi.runtime.setAllConfig({ "agent-log-config:baseUrl": "ftp://stack.example.com" });
    const configured = new Provider("west", ALL_BUT_ADDRESS, {
      envVarMappings: { WEST_URL: "AGENT_LOG_CONFIG_BASE_URL" },
    });
    await expect(getAgentLogConfig(MONITORING, { provider: configured })).rejects.toThrow("agent-log-config:baseUrl)");
  });
});

describe("a stack without default providers", () => {
  const disable = (text: string) => pulumi.runtime.setAllConfig({ "pulumi:disable-default-providers": text });

  it.each(['["agent-log-config"]', '["aws", " * "]'])(
    "refuses functions and resources without a Provider: %s",
    async (list) => {
      const service = await connectService({ [MONITORING.projectId]: { monitoring: { logPath: "/l" } } });
      disable(list);
      await expect(getAgentLogConfig(MONITORING)).rejects.toThrow(
        "Default provider for 'agent-log-config' disabled. 'agent-log-config:index:getAgentLogConfig' must use an explicit provider;",
      );
      for (const make of [
        () => new AgentLogConfig("r", MONITORING),
        () => AgentLogConfig.get("r", `${MONITORING.projectId}/monitoring`),
      ])
        expect(make).toThrow(
          "Default provider for 'agent-log-config' disabled. 'pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig r' must use an explicit provider; pass { provider: new Provider(...) }.",
        );
      expect(service.requests).toEqual([]);
      expect(await getAgentLogConfig(MONITORING, { provider: new Provider("west") })).toMatchObject({ logPath: "/l" });
    },
  );

  it.each(["", '["pulumi-nodejs", "aws"]'])("refuses nothing for other packages: %s", async (list) => {
    await connectService({ [MONITORING.projectId]: { monitoring: { logPath: "/l" } } });
    disable(list);
    expect(await getAgentLogConfig(MONITORING)).toMatchObject({ logPath: "/l" });
  });

  it.each(["agent-log-config", "{}"])("refuses a list that is none: %s", async (text) => {
    disable(text);
    await expect(getAgentLogConfig(MONITORING)).rejects.toThrow(
      "pulumi:disable-default-providers must be a list of packages.",
    );
  });
});

describe("a Provider records the private key as a secret, and nothing else,", () => {
  const configured = Object.entries(ALL).map(([name, value]) => [`agent-log-config:${name}`, `${value}`]);
  it.each<[description: string, set: () => void, args: object]>([
    ["plain arguments", () => {}, ALL],
    ["a plain stack configuration", () => pulumi.runtime.setAllConfig(Object.fromEntries(configured)), {}],
    [
      "the environment",
      () => vi.stubEnv("AGENT_LOG_CONFIG_PRIVATE_KEY", ALL.privateKey),
      { ...ALL, privateKey: undefined },
    ],
  ])("from %s", async (_, set, args) => {
    set();
    expect(await secretsOf(new Provider("provider", args), "provider")).toEqual(["agent-log-config:privateKey"]);
  });

  it("and what the stack keeps as a secret", async () => {
    const key = "agent-log-config:publicKey";
    pulumi.runtime.setAllConfig({ [key]: ALL.publicKey }, [key]);
    const provider = new Provider("provider", { privateKey: "private-key-0001" });
    expect(await secretsOf(provider, "provider")).toEqual(["agent-log-config:privateKey", key]);
  });

  it("and makes no setting a secret that is read with a secret key, except those that always are", async () => {
    const settings = { logPath: "/l", logRotate: {}, configOverrides: { key: "k" } };
    await connectService({ [MONITORING.projectId]: { monitoring: settings } });
    const provider = new Provider("provider", { privateKey: pulumi.secret(ALL.privateKey) });
    const resource = new AgentLogConfig("settings", MONITORING, { provider });
    expect(await secretsOf(resource, "settings")).toEqual(["configOverrides"]);
    const found = getAgentLogConfigOutput(MONITORING, { provider });
    for (const { logPath, configOverrides } of [resource, found]) {
      expect([await pulumi.isSecret(logPath), await pulumi.isSecret(configOverrides)]).toEqual([false, true]);
    }
    expect(await secretsOf(provider, "provider")).toEqual(["agent-log-config:privateKey"]);
  });
});

it("is copied without its connection, which has the key in clear", () => {
  expect(Object.getOwnPropertySymbols({ ...new Provider("provider", ALL) })).toEqual([]);
});

/** Runs a program in a stack of its own, in which each read gets the next of these responses. */
async function pathsIn(faults: readonly Fault[], program: (service: Service) => Promise<unknown>): Promise<unknown> {
  const service = await connectService({});
  queueFaults(service, ...faults);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await pulumi.runtime.runInPulumiStack(async () => {
    resolve(await program(service));
    return {};
  });
  return promise;
}

const found = (logPath: string) => ({ status: 200, body: JSON.stringify({ logPath }) });

const pathOf = (output: pulumi.Output<{ readonly logPath: string | undefined }>) =>
  new Promise((resolve) => output.apply(({ logPath }) => resolve(logPath)));

class Change extends pulumi.CustomResource {
  constructor() {
    super("test:index:Change", "change", {});
  }
}

describe("a program", () => {
  it("makes a read that failed anew, and one that succeeded only once", async () => {
    const paths = await pathsIn([{ status: 403 }, found("/second")], async () => {
      const first = await getAgentLogConfig(MONITORING).catch(() => "failed");
      const later = [await getAgentLogConfig(MONITORING), await getAgentLogConfig(MONITORING)];
      return [first, ...later.map(({ logPath }) => logPath)];
    });
    expect(paths).toEqual(["failed", "/second", "/second"]);
  });

  it.each<{ description: string; read: (name: string, provider: Provider) => Promise<unknown> }>([
    { description: "function", read: (_, provider) => pathOf(getAgentLogConfigOutput(MONITORING, { provider })) },
    {
      description: "resource",
      read: (name, provider) =>
        new Promise((resolve) => new AgentLogConfig(name, MONITORING, { provider }).logPath.apply(resolve)),
    },
  ])("makes the read of a $description anew with a Provider that waited for a resource", async ({ read }) => {
    const paths = await pathsIn([found("/before"), found("/after")], async ({ baseUrl }) => {
      const settings = { baseUrl, publicKey: "publickey" };
      const before = await read("before", new Provider("one", settings));
      return [before, await read("after", new Provider("one", settings, { dependsOn: new Change() }))];
    });
    expect(paths).toEqual(["/before", "/after"]);
  });
});
