import { expect, it } from "vitest";
import { describeOutage } from "../../sdk/shared/describe-failures.ts";

const MINUTE = 60_000;
const DOWN = { reason: "It is down.", cause: "down" };

it.each([
  [0, "less than a minute ago"],
  [119 * MINUTE, "119 min ago"],
  [120 * MINUTE, "2 h ago"],
  [47 * 60 * MINUTE, "47 h ago"],
  [48 * 60 * MINUTE, "2 days ago"],
])("says how old the settings are that were read %i ms ago: %s", (age, expected) => {
  const time = new Date(Date.now() - age).toISOString();
  expect(describeOutage("p/backup", { unchangedSince: time, ...DOWN }, new Map())).toBe(
    `AgentLogConfig p/backup uses the recorded settings, which were first read ${expected} (${time}). It is down.`,
  );
});

it.each([
  undefined,
  null,
  "yesterday",
  "2026-01-01 (\u001b[2J)",
  `2026-01-01T00:00:00.${"0".repeat(3000)}Z`,
  "2999-01-01T00:00:00.000Z",
])("does not need to know how old they are: %s", (time) => {
  expect(describeOutage("p/backup", { unchangedSince: time, ...DOWN }, new Map())).toBe(
    "AgentLogConfig p/backup uses the recorded settings. It is down.",
  );
});

it("shows nothing of an id that a terminal would obey", () => {
  expect(describeOutage("p\u001b[2J", { unchangedSince: undefined, ...DOWN }, new Map())).toContain(
    "AgentLogConfig p\uFFFD[2J uses",
  );
});

it("gives the reason once in a run for each cause, to resources with the same id too", () => {
  const told = new Map();
  const outages = [
    ["a", DOWN],
    ["b", DOWN],
    ["c", { reason: "It takes too long.", cause: "slow" }],
    ["d", { reason: "It is down, too.", cause: "down" }],
    ["a", DOWN],
  ] as const;
  const tell = (id: string, outage: typeof DOWN) =>
    describeOutage(id, { unchangedSince: undefined, ...outage }, told).replace(/^.* settings\. /, `${id}: `);
  expect(outages.map(([id, outage]) => tell(id, outage))).toEqual([
    "a: It is down.",
    "b: The reason is the same as for a.",
    "c: It takes too long.",
    "d: The reason is the same as for a.",
    "a: The reason was given before.",
  ]);
});
