import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { parseArgument } from "../../sdk/client/parse-argument.ts";
import { readArgumentsSchema } from "../../sdk/client/schemas.ts";
import { type ConnectionSettings, lookUpConnection, stackConfiguration } from "../../sdk/shared/connection-settings.ts";
import { readMany } from "../../sdk/shared/read-many.ts";
import { readSettings } from "../../sdk/shared/read-settings.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { settingsOf } from "./settings-of.ts";

const projectId = (index: number) => index.toString(16).padStart(24, "0");

const outcomeOfConfig = ({ projectId: id }: { projectId: string }) => `${id} undefined`;
const outcomeOfFailure = ({ projectId: id, code }: { projectId: string; code: string }) => `${id} ${code}`;

type Args = Parameters<Parameters<typeof readMany>[0]>[0];

const failWith = (code: AgentLogConfigErrorCode) => async () => {
  throw new AgentLogConfigError(code, "It failed.");
};

describe("readMany", () => {
  it("keeps the order asked for, both agents of a project by default", async () => {
    const ids = [projectId(2), projectId(1)];
    const { configs, failures } = await readMany(
      async (args) => {
        // Later ones are read faster.
        for (let turn = 0; turn < 5 - Number(args.projectId); turn += 1) await setImmediate();
        return settingsOf(args);
      },
      { projectIds: ids },
    );
    expect(configs.map(({ id }) => id)).toEqual(ids.flatMap((id) => [`${id}/monitoring`, `${id}/backup`]));
    expect(failures).toEqual([]);
  });

  it("reads 16 at a time", async () => {
    let [running, most] = [0, 0];
    const projectIds = Array.from({ length: 50 }, (_, index) => projectId(index));
    const read = async (args: Args) => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      return settingsOf(args);
    };
    const { configs } = await readMany(read, { projectIds, agents: ["backup"] });
    expect([most, configs.length]).toEqual([16, 50]);
  });

  it("reads an id that is given twice once, and returns it twice", async () => {
    const asked: Args[] = [];
    const read = async (args: Args) => {
      asked.push(args);
      return settingsOf(args);
    };
    const { configs } = await readMany(read, { projectIds: [projectId(1), projectId(1)], agents: ["backup"] });
    expect([asked.length, configs.length]).toEqual([1, 2]);
  });

  it("returns empty lists for an empty list, also where nothing could be read", async () => {
    const empty = { configs: [], failures: [] };
    expect(await readMany(failWith("ERR_MISSING_SETTINGS"), { projectIds: [] })).toEqual(empty);
    expect(await readMany(failWith("ERR_WRONG_KEY"), { projectIds: [projectId(1)], agents: [] })).toEqual(empty);
  });

  it("takes a malformed id for a failure of that entry alone", async () => {
    const read = async (args: Args) => {
      parseArgument(readArgumentsSchema, args, "Nothing was read");
      return settingsOf(args);
    };
    const { configs, failures } = await readMany(read, {
      projectIds: ["malformed", projectId(1)],
      agents: ["monitoring"],
    });
    expect(configs.map(({ projectId }) => projectId)).toEqual([projectId(1)]);
    const message = expect.stringContaining("projectId must be 24 hexadecimal digits.");
    const code = "ERR_INVALID_ARG_VALUE";
    expect(failures).toEqual([{ projectId: "malformed", agent: "monitoring", code, message, temporary: false }]);
  });

  it.each([
    { args: { projectIds: "one" }, message: "projectIds must be a list" },
    { args: {}, message: "projectIds must be a list" },
    { args: { projectIds: [], agents: "backup" }, message: "agents must be a list" },
    { args: { projectIDs: [] }, message: "unknown names: projectIDs; the valid ones are projectIds, agents" },
  ])("fails as a whole with the arguments $args", async ({ args, message }) => {
    await expect(readMany(async (args) => settingsOf(args), args)).rejects.toThrow(message);
  });

  it.each(["ERR_MISSING_SETTINGS", "ERR_WRONG_KEY", "ERR_INVALID_SETTINGS", "ERR_ACCESS_LIST"] as const)(
    "fails as a whole where every read fails with %s",
    async (code) => {
      const projectIds = Array.from({ length: 100 }, (_, index) => projectId(index));
      await expect(readMany(failWith(code), { projectIds })).rejects.toMatchObject({ code });
    },
  );

  it("returns what was asked for, as settings or as a failure, whatever each read comes to", async () => {
    const outcomes = fc.constantFrom(
      undefined,
      "ERR_ACCESS_LIST",
      "ERR_WRONG_KEY",
      "ERR_PROJECT_NOT_FOUND",
      "ERR_TIMEOUT",
    );
    const projects = fc.array(fc.tuple(fc.nat({ max: 40 }), outcomes), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(projects, async (asked) => {
        const outcomeOf = new Map(asked.map(([index, outcome]) => [projectId(index), outcome]));
        const read = async (args: Args) => {
          await setImmediate();
          const code = outcomeOf.get(args.projectId);
          return code === undefined ? settingsOf(args) : failWith(code)();
        };
        const projectIds = asked.map(([index]) => projectId(index));
        const settled = await readMany(read, { projectIds, agents: ["backup"] }).catch((error: unknown) => {
          if (error instanceof AgentLogConfigError) return error.code;
          throw error;
        });
        if (typeof settled === "string") {
          expect(new Set(outcomeOf.values())).toEqual(new Set([settled]));
          return;
        }
        const returned = [...settled.configs.map(outcomeOfConfig), ...settled.failures.map(outcomeOfFailure)];
        expect(returned.toSorted()).toEqual(projectIds.map((id) => `${id} ${outcomeOf.get(id)}`).toSorted());
      }),
    );
  });

  it("keeps what was read where a key is withdrawn halfway", async () => {
    let reads = 0;
    const read = async (args: Args) => {
      reads += 1;
      return reads > 20 ? failWith("ERR_WRONG_KEY")() : settingsOf(args);
    };
    const projectIds = Array.from({ length: 15 }, (_, index) => projectId(index));
    const { configs, failures } = await readMany(read, { projectIds });
    expect([configs.length, failures.length]).toEqual([20, 10]);
  });
});

describe("readMany on a service", () => {
  async function open(): Promise<{ service: Service; connection: ConnectionSettings }> {
    const service = await startService({ settings: { [projectId(1)]: { monitoring: { logPath: "/one" } } } });
    onTestFinished(() => service.close());
    const settings = new Map([
      ["agent-log-config:baseUrl", service.baseUrl],
      ["agent-log-config:publicKey", "publickey"],
      ["agent-log-config:privateKey", "private-key-0001"],
      ["agent-log-config:allowHttp", "true"],
      ["agent-log-config:maxRetries", "0"],
    ]);
    return { service, connection: lookUpConnection(stackConfiguration((key) => settings.get(key))) };
  }

  it("tells failures of projects from outages", async () => {
    const { service, connection } = await open();
    service.failNext({ status: 503 });
    const { configs, failures } = await readMany((args) => readSettings(connection, args), {
      projectIds: [projectId(1), projectId(2)],
      agents: ["monitoring"],
    });
    const codes = failures.map(({ code, temporary }) => [code, temporary]);
    expect(configs.length + failures.length).toBe(2);
    expect(codes).toContainEqual(["ERR_UNAVAILABLE", true]);
  });

  it("fails as a whole with a wrong key", async () => {
    const { service, connection } = await open();
    service.rotateKey("another");
    const args = { projectIds: [projectId(1), projectId(2)] };
    await expect(readMany((each) => readSettings(connection, each), args)).rejects.toMatchObject({
      code: "ERR_WRONG_KEY",
    });
  });
});
