import { expect, it } from "vitest";
import { describeFailures, failure } from "../../sdk/shared/describe-failures.ts";

const READ = (id: string, agent = "monitoring") =>
  `Can't read the ${agent} agent's log settings of project ${id}: it is gone (No group with ID ${id} exists).`;
const [ONE, TWO] = ["0123456789abcdef01234567", "89ABCDEF0123456789ABCDEF"];

const GONE = "it is gone";
const fail = (sentence: string, ...names: readonly string[]) => names.map((name) => ({ ...failure(sentence), name }));
const gone = (sentence: string, ...names: readonly string[]) => names.map((name) => ({ name, sentence, cause: GONE }));

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
    failures: [...gone(READ(ONE), "a"), ...gone(READ(TWO, "backup"), "b")],
    expected: [`2 fail alike: a, b. ${READ(ONE)}`],
  },
  {
    description: "two paths that differ in the name of an agent alone",
    failures: [...fail('logPath is "/var/log/monitoring".', "a"), ...fail('logPath is "/var/log/backup".', "b")],
    expected: ['a: logPath is "/var/log/monitoring".', 'b: logPath is "/var/log/backup".'],
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

it("does not repeat a cause that is told already, and says first who shares it", () => {
  const failures = [...fail("Another.", "d"), ...gone(READ(TWO), "b", "c")];
  expect(describeFailures(failures, [{ sentence: READ(ONE), cause: GONE }])).toEqual([
    "The same is true of 2 more: b, c.",
    "d: Another.",
  ]);
});

it("describes 10,000 failures of one cause in one line", () => {
  const failures = Array.from({ length: 10_000 }, (_, index) => ({
    name: `p${index}`,
    sentence: READ(index.toString(16).padStart(24, "0")),
    cause: GONE,
  }));
  expect(describeFailures(failures)).toEqual([
    expect.stringMatching(/^10000 fail alike: p0, p1, p2 and 9997 others\. /),
  ]);
});
