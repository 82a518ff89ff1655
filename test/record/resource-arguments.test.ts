import { expect, it } from "vitest";
import { argumentFindings } from "../../sdk/record/resource-arguments.ts";

it("an unknown argument without a value is no mistake: a program may spread options", () => {
  const read = { projectId: "0123456789abcdef01234567", agent: "backup" };
  expect(argumentFindings({ ...read, tags: undefined, labels: null }, [])).toEqual([]);
});

it("an unknown argument is refused with the list of those that are valid", () => {
  const [name, advice] = ["projctId", "the valid ones are projectId, agent, expect, whenUnexpected, whenUnavailable."];
  const [failure] = argumentFindings({ projectId: "0123456789abcdef01234567", agent: "backup", [name]: 1 }, []);
  expect(failure?.message).toBe(`Nothing was read: the argument has unknown names: ${name}; ${advice}`);
});
