import { expect, it } from "vitest";
import { describeFailures } from "../../sdk/shared/group-failures.ts";

const READ = (id: string, agent = "monitoring") =>
  `Can't read the ${agent} agent's log settings of project ${id}: it is gone (No group with ID ${id} exists).`;
const [ONE, TWO] = ["0123456789abcdef01234567", "89ABCDEF0123456789ABCDEF"];

const fail = (sentence: string, ...names: readonly string[]) => names.map((name) => ({ name, sentence }));

it.each([
  { description: "nothing", failures: [], expected: [] },
  { description: "one failure", failures: fail("It failed.", "a"), expected: ["a: It failed."] },
  {
    description: "two causes",
    failures: [...fail("One.", "a"), ...fail("Two.", "b")],
    expected: ["a: One.", "b: Two."],
  },
  {
    description: "one cause for two projects and agents",
    failures: [...fail(READ(ONE), "a"), ...fail(READ(TWO, "backup"), "b")],
    expected: [`2 fail alike: a, b. ${READ(ONE)}`],
  },
  {
    description: "four resources, all of which are named",
    failures: fail("It failed.", "a", "b", "c", "d"),
    expected: ["4 fail alike: a, b, c, d. It failed."],
  },
  {
    description: "five resources, of which three are named",
    failures: fail("It failed.", "a", "b", "c", "d", "e"),
    expected: ["5 fail alike: a, b, c and 2 others. It failed."],
  },
  {
    description: "one resource that fails twice",
    failures: [...fail("One.", "a"), ...fail("Two.", "a")],
    expected: ["a: One.", "a: Two."],
  },
])("describes $description", ({ failures, expected }) => {
  expect(describeFailures(failures)).toEqual(expected);
});

it("does not repeat a sentence that is told already", () => {
  const failures = [...fail(READ(TWO), "b", "c"), ...fail("Another.", "d")];
  expect(describeFailures(failures, [READ(ONE)])).toEqual(["The same is true of 2 more: b, c.", "d: Another."]);
});

it("describes 10,000 failures of one cause in one line", () => {
  const failures = Array.from({ length: 10_000 }, (_, index) => ({
    name: `p${index}`,
    sentence: READ(index.toString(16).padStart(24, "0")),
  }));
  expect(describeFailures(failures)).toEqual([
    expect.stringMatching(/^10000 fail alike: p0, p1, p2 and 9997 others\. /),
  ]);
});
