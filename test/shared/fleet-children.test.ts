import { describe, expect, it } from "vitest";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { FleetChildren } from "../../sdk/shared/fleet-children.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"] as const;
const fleet = () => new FleetChildren("fleet");

describe("the members of a fleet", () => {
  const either =
    "give either projectIds, a list of project ids, or projects, a map from names of your own to project ids";
  const notAgent = 'agents.1 must be "monitoring" or "backup"';
  it.each<[object, string, isSecret?: boolean]>([
    [{ projects: null }, either],
    [{ projectIds: [ONE], projects: { a: ONE } }, either],
    [{ projectIds: ONE }, "projectIds must be a list", true],
    [{ projects: [ONE] }, "projects must be a map from names to project ids"],
    [{ projects: "a" }, "projects must be a map from names to project ids", true],
    [{ projectIds: [], agents: "backup" }, "agents must be a list", true],
    [{ projectIds: [], agents: ["backup", "backups"] }, `${notAgent}, not "backups"`],
    [{ projectIds: [], agents: ["backup", "backups"] }, notAgent, true],
    [
      { projectIds: [], expect: {}, expects: {} },
      "unknown names: expects; the valid ones are projectIds, projects, agents, expect, whenUnexpected, whenUnavailable",
    ],
  ])("are refused for %j", (args, sentence, isSecret = false) => {
    expect(() => fleet().membersOf(args, isSecret)).toThrow(
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
      expect(() => fleet().membersOf({ projects }, true)).toThrow(
        "; begin with a letter or a digit, and take at most 80 printable characters. See",
      );
    },
  );
});

describe("the name of a child", () => {
  it("is given once in a fleet", () => {
    const children = fleet();
    expect(children.nameOf("Team/Øst 1", "backup")).toBe("fleet-Team/Øst 1-backup");
    expect(children.nameOf("Team/Øst 1", "monitoring")).toBe("fleet-Team/Øst 1-monitoring");
    expect(children.nameOf("Team/Øst 1", "backup")).toBeUndefined();
    expect(children.nameOf("a\u001b::b", "backup")).toBe("fleet-a\ufffd::b-backup");
  });
});
