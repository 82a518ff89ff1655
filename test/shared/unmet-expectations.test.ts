import { describe, expect, it } from "vitest";
import type { ExpectedPath } from "../../sdk/program/expected-settings.ts";
import { UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { refuse } from "../../sdk/shared/resource-arguments.ts";
import { expectedPathSchema, unmetExpectations } from "../../sdk/shared/unmet-expectations.ts";

const SETTINGS = {
  logPath: "/var/log/agent.log",
  logPathWindows: null,
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
  username: null,
  configOverrides: { mmsApiKey: "k" },
};

const ADVICE = "; change it in the service, or change expect.";

it.each([
  ["nothing at all", undefined],
  ["null in the place of all settings", null],
  ["the settings as they are", { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000 } }],
  ["that a setting is absent", { username: null, logPathWindows: null }],
  ["settings that must not be set", { notSet: ["username", "logRotate.numTotal"] }],
  ["an unknown text", { logPath: UNKNOWN }],
  ["an unknown list", { notSet: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2" }],
  ["an unknown threshold", { logRotate: { sizeThresholdMB: UNKNOWN } }],
  ["at least as much", { logRotate: { timeThresholdHrs: { atLeast: 24 } } }],
  ["at most as much", { logRotate: { timeThresholdHrs: { atMost: 24 } } }],
])("is met by what expects %s", (_, expected) => {
  expect(unmetExpectations(expected, SETTINGS, [])).toEqual([]);
});

it.each<[description: string, expected: object, sentence: string]>([
  ["another text", { logPath: "/srv" }, 'logPath is "/var/log/agent.log", expected "/srv"'],
  ["a text where there is none", { username: "u" }, 'username is not set, expected "u"'],
  [
    "that a setting is not set which is",
    { notSet: ["username", "logPath"] },
    'logPath is "/var/log/agent.log", but should not be set',
  ],
  ["another number", { logRotate: { sizeThresholdMB: 500 } }, "logRotate.sizeThresholdMB is 1000, expected 500"],
  [
    "no thresholds where there are some",
    { logRotate: null },
    'logRotate is {"sizeThresholdMB":1000,"timeThresholdHrs":24}, but should not be set',
  ],
  [
    "less",
    { logRotate: { sizeThresholdMB: { atMost: 999.5 } } },
    "logRotate.sizeThresholdMB is 1000, expected at most 999.5",
  ],
  [
    "more",
    { logRotate: { sizeThresholdMB: { atLeast: 1001 } } },
    "logRotate.sizeThresholdMB is 1000, expected at least 1001",
  ],
  [
    "a range that it is outside of",
    { logRotate: { sizeThresholdMB: { atLeast: 1, atMost: 999 } } },
    "logRotate.sizeThresholdMB is 1000, expected between 1 and 999",
  ],
  [
    "a range of one number",
    { logRotate: { sizeThresholdMB: { atLeast: 999, atMost: 999 } } },
    "logRotate.sizeThresholdMB is 1000, expected 999",
  ],
  [
    "a range where there is no number",
    { logRotate: { numTotal: { atLeast: 0 } } },
    "logRotate.numTotal is not set, expected at least 0",
  ],
])("is not met by what expects %s", (_, expected, sentence) => {
  expect(unmetExpectations(expected, SETTINGS, [])).toEqual([`${sentence}${ADVICE}`]);
});

it("compares thresholds where the service has none", () => {
  const settings = { ...SETTINGS, logRotate: null };
  expect(unmetExpectations({ logRotate: { numTotal: null, sizeThresholdMB: 1 } }, settings, [])).toEqual([
    `logRotate.sizeThresholdMB is not set, expected 1${ADVICE}`,
  ]);
  expect(unmetExpectations({ logRotate: null }, settings, [])).toEqual([]);
});

it.each([
  { logPath: undefined },
  { logRotate: { numTotal: undefined, sizeThresholdMB: { atLeast: 1, atMost: undefined } } },
  { logRotate: { sizeThresholdMB: { atLeast: UNKNOWN, atMost: 1000 } } },
])("is met by what is left out or not known yet: %j", (expected) => {
  expect(unmetExpectations(expected, SETTINGS, [])).toEqual([]);
});

describe("what no setting can meet", () => {
  it.each<[description: string, expected: unknown, sentence: string]>([
    ["a list in the place of all settings", [], "expect must be an object."],
    ["no setting", {}, "expect must have a setting, or notSet."],
    ["no threshold", { logRotate: {} }, "expect.logRotate must have a threshold."],
    [
      "an unknown setting",
      { logPth: "/srv" },
      "expect has unknown names: logPth; the valid ones are logPath, logPathWindows, logRotate, username, notSet.",
    ],
    [
      "an unknown threshold",
      { logRotate: { sizeMB: 1 } },
      "expect.logRotate has unknown names: sizeMB; the valid ones are sizeThresholdMB, timeThresholdHrs, numUncompressed, percentOfDiskspace, numTotal.",
    ],
    ["a number in the place of a string", { logPath: 5 }, "expect.logPath must be a string."],
    ["a list in the place of thresholds", { logRotate: [] }, "expect.logRotate must be an object."],
    [
      "a text in the place of a number",
      { logRotate: { numTotal: "5" } },
      "expect.logRotate.numTotal must be a number or a range { atLeast, atMost }.",
    ],
    [
      "a range without bounds",
      { logRotate: { numTotal: {} } },
      "expect.logRotate.numTotal must have atLeast, atMost or both.",
    ],
    [
      "a range with an unknown bound",
      { logRotate: { numTotal: { atMost: 5, below: 6 } } },
      "expect.logRotate.numTotal has unknown names: below; the valid ones are atLeast, atMost.",
    ],
    [
      "a range whose bounds are exchanged",
      { logRotate: { numTotal: { atLeast: 6, atMost: 5 } } },
      "expect.logRotate.numTotal can't be met, because atLeast is greater than atMost.",
    ],
    [
      "an unknown path",
      { notSet: ["configOverrides"] },
      "expect.notSet.0 must be one of logPath, logPathWindows, logRotate, username, logRotate.sizeThresholdMB, logRotate.timeThresholdHrs, logRotate.numUncompressed, logRotate.percentOfDiskspace, logRotate.numTotal.",
    ],
    ["a path without a list", { notSet: "logPath" }, "expect.notSet must be a list."],
  ])("is %s", (_, expected, sentence) => {
    const [failure] = refuse({ projectId: "0123456789abcdef01234567", agent: "monitoring", expect: expected }, [
      "expect",
    ]);
    expect(failure?.message).toBe(`Nothing was read: the argument ${sentence}`);
  });
});

it("names a secret setting and does not quote it", () => {
  const expected = { logPath: "/srv", logRotate: { sizeThresholdMB: 1 }, username: "u" };
  expect(unmetExpectations(expected, SETTINGS, ["logPath", "logRotate"])).toEqual([
    `logPath is not as expected${ADVICE}`,
    `logRotate.sizeThresholdMB is not as expected${ADVICE}`,
    `username is not set, expected "u"${ADVICE}`,
  ]);
});

it("shows no control characters of the service", () => {
  const settings = { ...SETTINGS, logPath: "/a\u009B31m\u202E\u2028b" };
  expect(unmetExpectations({ logPath: "/srv" }, settings, [])).toEqual([
    `logPath is "/a\uFFFD31m\uFFFD\uFFFDb", expected "/srv"${ADVICE}`,
  ]);
});

/** The compiler holds it to the declaration. */
const PATHS: Readonly<Record<ExpectedPath, true>> = {
  logPath: true,
  logPathWindows: true,
  logRotate: true,
  username: true,
  "logRotate.sizeThresholdMB": true,
  "logRotate.timeThresholdHrs": true,
  "logRotate.numUncompressed": true,
  "logRotate.percentOfDiskspace": true,
  "logRotate.numTotal": true,
};

it("takes each setting that is declared, and no other one, for one that must not be set", () => {
  expect(expectedPathSchema.options.toSorted()).toEqual(Object.keys(PATHS).toSorted());
});
