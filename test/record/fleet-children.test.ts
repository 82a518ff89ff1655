import { describe, expect, it } from "vitest";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { fleetChildren } from "../../sdk/record/fleet-children.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"] as const;

describe("the children of a fleet", () => {
  const notAgent = 'agents.1 must be "monitoring" or "backup"';
  it.each<[object, string, isSecret?: boolean]>([
    [{}, "projects must be a map from names to project ids"],
    [{ projects: null }, "projects must be a map from names to project ids"],
    [{ projects: [ONE] }, "projects must be a map from names to project ids"],
    [{ projects: "a" }, "projects must be a map from names to project ids", true],
    [{ projects: {}, agents: "backup" }, "agents must be a list", true],
    [{ projects: {}, agents: ["backup", "backups"] }, `${notAgent}, not "backups"`],
    [{ projects: {}, agents: ["backup", "backups"] }, notAgent, true],
    [
      { projects: {}, expect: {}, projectIds: [] },
      "the argument has unknown names: projectIds; the valid ones are projects, agents, expect, whenUnexpected, whenUnavailable",
    ],
  ])("are refused for %j", (args, sentence, isSecret = false) => {
    expect(() => fleetChildren("fleet", args, isSecret)).toThrow(
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
      expect(() => fleetChildren("fleet", { projects }, true)).toThrow(
        "; begin with a letter or a digit, and take at most 80 printable characters. See",
      );
    },
  );
});

it.each(["x".repeat(80), "Team/Øst 1"])("a child is called by the name of its project: %s", (name) => {
  const children = fleetChildren("fleet", { projects: { [name]: ONE } }, true);
  expect(children).toEqual([
    { key: `${name}/monitoring`, childName: `fleet-${name}-monitoring`, name, projectId: ONE, agent: "monitoring" },
    { key: `${name}/backup`, childName: `fleet-${name}-backup`, name, projectId: ONE, agent: "backup" },
  ]);
});
