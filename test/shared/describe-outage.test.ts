import { expect, it } from "vitest";
import { describeOutage } from "../../sdk/shared/describe-outage.ts";

const MINUTE = 60_000;

it.each([
  [0, "less than a minute ago"],
  [-5 * MINUTE, "less than a minute ago"],
  [119 * MINUTE, "119 min ago"],
  [120 * MINUTE, "2 h ago"],
  [47 * 60 * MINUTE, "47 h ago"],
  [48 * 60 * MINUTE, "2 days ago"],
])("says how old the settings are that were read %i ms ago: %s", (age, expected) => {
  const time = new Date(Date.now() - age).toISOString();
  expect(describeOutage("p/backup", { lastReadAt: time, reason: "It is down." })).toBe(
    `AgentLogConfig p/backup uses the recorded settings, which were first read ${expected} (${time}). It is down.`,
  );
});

it.each([undefined, null, "yesterday", "2026-01-01 (\u001b[2J)"])(
  "does not need to know how old they are: %s",
  (time) => {
    expect(describeOutage("p/backup", { lastReadAt: time, reason: "It is down." })).toBe(
      "AgentLogConfig p/backup uses the recorded settings. It is down.",
    );
  },
);

it("shows nothing of an id that a terminal would obey", () => {
  expect(describeOutage("p\u001b[2J", { lastReadAt: undefined, reason: "" })).toContain(
    "AgentLogConfig p\uFFFD[2J uses",
  );
});
