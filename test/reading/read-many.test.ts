import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../../sdk/model/errors.ts";
import { readMany } from "../../sdk/reading/read-many.ts";
import { settingsOf } from "../record/settings-of.ts";

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
      true,
    );
    expect(configs.map(({ id }) => id)).toEqual(ids.flatMap((id) => [`${id}/monitoring`, `${id}/backup`]));
    expect(failures).toEqual([]);
  });

  it("returns empty lists for an empty list, also where nothing could be read", async () => {
    const empty = { configs: [], failures: [] };
    expect(await readMany(failWith("ERR_MISSING_SETTINGS"), { projectIds: [] }, true)).toEqual(empty);
    expect(await readMany(failWith("ERR_WRONG_KEY"), { projectIds: [projectId(1)], agents: [] }, true)).toEqual(empty);
  });

  it.each([
    { args: { projectIds: "one" }, message: 'projectIds must be a list, not "one"' },
    { args: {}, message: "projectIds is missing" },
    { args: { projectIds: [], agents: "backup" }, message: "agents must be a list" },
    {
      args: { projectIDs: [] },
      message:
        "projectIds is missing; the argument has unknown names: projectIDs; the valid ones are projectIds, agents",
    },
    {
      args: { projectIds: [projectId(1), "orders"] },
      message: 'Nothing was read: projectIds.1 must be 24 hexadecimal digits, not "orders".',
    },
    {
      args: { projectIds: [projectId(1)], agents: ["automation"] },
      message: 'Nothing was read: agents.0 must be "monitoring" or "backup", not "automation".',
    },
    {
      args: { projectIds: Array.from({ length: 3000 }, () => "x".repeat(500)) },
      message:
        /^Nothing was read: (?:projectIds\.\d must be 24 hexadecimal digits, not "x{79}… \(500 characters\); ){10}and 2990 others\. See/,
    },
  ])("fails before anything is read with the arguments $args", async ({ args, message }) => {
    await expect(readMany(failWith("ERR_UNKNOWN"), args, false)).rejects.toThrow(message);
  });

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
        const settled = await readMany(read, { projectIds, agents: ["backup"] }, true).catch((error: unknown) => {
          if (error instanceof AgentLogConfigError) return error.code;
          throw error;
        });
        if (typeof settled === "string") {
          expect([...outcomeOf.values()]).not.toContain(undefined);
          expect(settled).toBe(outcomeOf.get(projectIds[0] ?? ""));
          return;
        }
        expect([...outcomeOf.values()]).toContain(undefined);
        const returned = [...settled.configs.map(outcomeOfConfig), ...settled.failures.map(outcomeOfFailure)];
        expect(returned.toSorted()).toEqual(projectIds.map((id) => `${id} ${outcomeOf.get(id)}`).toSorted());
      }),
    );
  });
});
