import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it } from "vitest";
import {
  AgentLogConfig,
  AgentLogConfigs,
  getAgentLogConfig,
  getAgentLogConfigOutput,
  getAgentLogConfigs,
  getAgentLogConfigsOutput,
  Provider,
} from "../../sdk/index.ts";

// What a unit test of a program sees that uses Pulumi's own mocks, without a connection and without a service.

const BACKUP = { projectId: "0123456789abcdef01234567", agent: "backup" } as const;
const FOUND = { logPath: "/from/call", configOverrides: { key: "k" } };

/** What the mocks were asked, and what `call` returns. */
let registered: pulumi.runtime.MockResourceArgs[];
let called: Pick<pulumi.runtime.MockCallArgs, "token" | "inputs">[];
let result: object;
/** What `newResource` returns beside inputs and a path. */
let mocked: Readonly<Record<string, object>>;

beforeEach(async () => {
  [registered, called, result, mocked] = [[], [], FOUND, {}];
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      const state = { ...args.inputs, logPath: `/from/${args.name}`, ...mocked };
      return { id: "mocked", state };
    },
    call: ({ token, inputs }) => {
      called.push({ token, inputs });
      return { ...result };
    },
  });
});

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

describe("a function returns what call returns for its token", () => {
  const token = "agent-log-config:index:getAgentLogConfig";

  it("as a Promise, with a connection or without", async () => {
    const provider = new Provider("p", { baseUrl: "https://example.com" });
    for (const opts of [{}, { provider }, { parent: new AgentLogConfig("parent", BACKUP) }]) {
      const { logPath, configOverrides } = await getAgentLogConfig(BACKUP, opts);
      expect(logPath).toBe("/from/call");
      expect([await resolved(configOverrides), await pulumi.isSecret(configOverrides)]).toEqual([{ key: "k" }, true]);
    }
    expect(called).toEqual([1, 2, 3].map(() => ({ token, inputs: BACKUP })));
  });

  it("as an Output", async () => {
    const output = getAgentLogConfigOutput({ ...BACKUP, projectId: pulumi.output(BACKUP.projectId) });
    expect(await resolved(output.logPath)).toBe("/from/call");
    expect(called).toEqual([{ token, inputs: BACKUP }]);
  });

  it("for many projects", async () => {
    const args = { projectIds: [BACKUP.projectId], agents: ["backup" as const] };
    result = { configs: [FOUND], failures: [] };
    const all = [await getAgentLogConfigs(args), await resolved(getAgentLogConfigsOutput(args))];
    for (const { configs, failures } of all) {
      expect(failures).toEqual([]);
      expect(configs).toMatchObject([{ logPath: "/from/call" }]);
    }
    expect(called).toEqual([1, 2].map(() => ({ token: `${token}s`, inputs: args })));
  });

  it("where that is nothing", async () => {
    result = {};
    expect((await getAgentLogConfig(BACKUP)).logPath).toBeUndefined();
    expect(await getAgentLogConfigs({ projectIds: [] })).toEqual({ configs: undefined });
  });
});

describe("a resource has the state that newResource returns as its outputs", () => {
  it("and asks with the arguments alone", async () => {
    const judged = { expect: { logPath: "/m" }, whenUnexpected: "warn", whenUnavailable: "useRecorded" } as const;
    const { logPath, logRotate } = new AgentLogConfig("logs", { ...BACKUP, ...judged });
    const outputs = await resolved(pulumi.all([logPath, logRotate]));
    expect(outputs).toEqual(["/from/logs", undefined]);
    expect(registered).toMatchObject([{ name: "logs", inputs: { ...BACKUP, ...judged } }]);
    expect(Object.keys(registered[0]?.inputs ?? {})).toHaveLength(6); // the sixth is the text of the provider
  });

  it("where it is adopted", async () => {
    const { id, logPath } = AgentLogConfig.get("adopted", `${BACKUP.projectId}/backup`);
    expect(await resolved(logPath)).toBe("/from/adopted");
    expect(await resolved(id)).toBe(`${BACKUP.projectId}/backup`);
  });

  it("where it is a fleet, of which none need be returned", async () => {
    const args = { projects: { orders: BACKUP.projectId } };
    const fleet = async () => resolved(new AgentLogConfigs("fleet", args).configs);
    expect(await fleet()).toEqual({});
    expect(registered).toMatchObject([{ name: "fleet", inputs: args }]);
    expect(Object.keys(registered[0]?.inputs ?? {})).toHaveLength(2); // the other one is the text of the provider
    mocked = { configs: { "orders/backup": { name: "orders", ...BACKUP, logPath: "/l" } } };
    expect(await fleet()).toEqual(mocked["configs"]);
  });
});
