import { describe, expect, it } from "vitest";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { FleetChildren } from "../../sdk/shared/fleet-children.ts";

const [ONE, TWO] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b"] as const;
const fleet = (name = "fleet", types = "Fleet", fleets = new Map<string, string>()) =>
  new FleetChildren(name, types, "other:index:Type", fleets);

describe("the projects of a fleet", () => {
  const missing =
    "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of your own to project ids";
  it.each<[unknown, unknown, string]>([
    [undefined, null, missing],
    [[ONE], { a: ONE }, "projectIds and projects are both given; give one of them"],
    [ONE, undefined, "projectIds must be a list"],
    [undefined, [ONE], "projects must be a map from names to project ids"],
    [undefined, "a", "projects must be a map from names to project ids"],
  ])("is refused for %j and %j", (projectIds, projects, sentence) => {
    expect(() => fleet().projectsOf(projectIds, projects)).toThrow(
      `AgentLogConfigs 'fleet' can't be made: ${sentence}. See https:`,
    );
  });

  it.each(["", "__proto__", "-a", "a\n", "a\u202e", "\ud800", "a<{%", "x".repeat(81), SIGNATURE_KEY, UNKNOWN])(
    "is refused with the name %j",
    (name) => {
      const projects = Object.fromEntries([
        ["a", ONE],
        [name, TWO],
      ]);
      expect(() => fleet().projectsOf(undefined, projects)).toThrow(
        " can't be the name of a project: begin with a letter or a digit, and take at most 80 printable characters. See",
      );
    },
  );
});

it("refuses agents that are no list", () => {
  expect(() => fleet().agentsOf("backup")).toThrow("can't be made: agents must be a list.");
});

describe("the name of a child", () => {
  it("is given once in a fleet", () => {
    const children = fleet();
    expect(children.nameOf("Team/Øst 1", "backup")).toBe("fleet-Team/Øst 1-backup");
    expect(children.nameOf("Team/Øst 1", "monitoring")).toBe("fleet-Team/Øst 1-monitoring");
    expect(children.nameOf("Team/Øst 1", "backup")).toBeUndefined();
    expect(children.nameOf("a\u001b::b", "backup")).toBe("fleet-a\ufffd::b-backup");
  });

  it("is refused if another fleet has it, unless the parents of the two have other types", () => {
    const fleets = new Map<string, string>();
    fleet("shop", "Fleet", fleets).nameOf("eu-orders", "monitoring");
    expect(() => fleet("shop-eu", "Fleet", fleets).nameOf("orders", "monitoring")).toThrow(
      "AgentLogConfigs 'shop-eu' can't be made: its child shop-eu-orders-monitoring would have the name of a child of AgentLogConfigs 'shop'; rename one of the two, or the project.",
    );
    expect(fleet("shop-eu", "Group$Fleet", fleets).nameOf("orders", "monitoring")).toBe("shop-eu-orders-monitoring");
    expect(fleet("shop", "Fleet", fleets).nameOf("eu-orders", "monitoring")).toBe("shop-eu-orders-monitoring");
  });
});

it("takes over the record of a project's id once, and that of the other way always", () => {
  const children = fleet();
  const former = (child: string, id: string) => children.formerNameOf(child, id, "backup");
  expect([former("fleet-a-backup", ONE), former("fleet-b-backup", ONE), former("fleet-c-backup", TWO)]).toEqual([
    `fleet-${ONE}-backup`,
    undefined,
    `fleet-${TWO}-backup`,
  ]);
  expect(fleet().formerNameOf(`fleet-${ONE}-backup`, ONE, "backup")).toBeUndefined();
  const type = "other:index:Type";
  expect(children.aliasesOf(undefined)).toEqual([{ type }]);
  expect(children.aliasesOf("before")).toEqual([{ type }, { name: "before" }, { name: "before", type }]);
});
