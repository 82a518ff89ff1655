import { describe, expect, it } from "vitest";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { childNames, fleetMembers } from "../../sdk/record/fleet-children.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"] as const;

describe("the members of a fleet", () => {
  const neither =
    "the argument must have projectIds, a list of project ids, or projects, a map from names of your own to project ids";
  const notAgent = 'agents.1 must be "monitoring" or "backup"';
  it.each<[object, string, isSecret?: boolean]>([
    [{ projects: null }, neither],
    [
      { projectIds: [ONE], projects: { a: ONE } },
      "the argument has both projectIds and projects; take one of them out",
    ],
    [{ projectIds: ONE }, "projectIds must be a list", true],
    [{ projects: [ONE] }, "projects must be a map from names to project ids"],
    [{ projects: "a" }, "projects must be a map from names to project ids", true],
    [{ projectIds: [], agents: "backup" }, "agents must be a list", true],
    [{ projectIds: [], agents: ["backup", "backups"] }, `${notAgent}, not "backups"`],
    [{ projectIds: [], agents: ["backup", "backups"] }, notAgent, true],
    [
      { projectIds: [], expect: {}, expects: {} },
      "the argument has unknown names: expects; the valid ones are projectIds, projects, agents, expect, whenUnexpected, whenUnavailable",
    ],
  ])("are refused for %j", (args, sentence, isSecret = false) => {
    expect(() => fleetMembers("fleet", args, isSecret)).toThrow(
      `AgentLogConfigs 'fleet' can't be made: ${sentence}. See https:`,
    );
  });

  it.each(["", "__proto__", "-a", "a\n", "a\u202e", "\ud800", "a<{%", "x".repeat(81), SIGNATURE_KEY, UNKNOWN])(
    "are refused with the name %j",
    (name) => {
      const projects = Object.fromEntries([
        ["a", ONE],
        [name, TWO],
      ]);
      expect(() => fleetMembers("fleet", { projects }, true)).toThrow(
        "; begin with a letter or a digit, and take at most 80 printable characters. See",
      );
    },
  );
});

it("a project may have a name of 80 characters, which its children have in full", () => {
  const name = "x".repeat(80);
  const members = fleetMembers("fleet", { projects: { [name]: ONE } }, true);
  expect(members).toMatchObject([
    { name, agent: "monitoring" },
    { name, agent: "backup" },
  ]);
  expect(childNames("fleet", name, "backup").key).toBe(`${name}/backup`);
});

it.each([
  ["Team/Øst 1", "Team/Øst 1/backup", "fleet-Team/Øst 1-backup"],
  ["a\u001b::b", "a\ufffd::b/backup", "fleet-a\ufffd::b-backup"],
])("a child of the project %j is called by it", (project, key, name) => {
  expect(childNames("fleet", project, "backup")).toEqual({ key, name });
});

it.each([
  ["0123456789ABCDEF0123456A", ONE],
  [UNKNOWN, UNKNOWN],
  [123, 123],
])("a child has the id %j of its project in lower case, and as it is where it is no text", (given, id) => {
  expect(fleetMembers("fleet", { projectIds: [given], agents: ["backup"] }, true)).toEqual([
    { name: undefined, projectId: id, agent: "backup" },
  ]);
});
