import { expect, it } from "vitest";
import { UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { logRotateSchema } from "../../sdk/model/agent-log-settings.ts";
import { unmetExpectations } from "../../sdk/record/expectations.ts";
import { argumentFindings } from "../../sdk/record/resource-arguments.ts";

const SETTINGS = {
  logPath: "/var/log/agent.log",
  logPathWindows: "",
  logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
  username: "",
  configOverrides: { mmsApiKey: "k" },
};

const ADVICE = "; change it in the service, or change expect.";

it.each([
  undefined,
  null,
  { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000 } },
  { notSet: ["username", "logRotate.numTotal"] },
  { logRotate: { sizeThresholdMB: { atLeast: 1000 }, timeThresholdHrs: { atMost: 24 } } },
  // What is left out, absent, or not known yet.
  { logPath: null, logRotate: { sizeThresholdMB: { atLeast: null, atMost: 1000 }, timeThresholdHrs: null } },
  { logPath: UNKNOWN, logRotate: { sizeThresholdMB: UNKNOWN, timeThresholdHrs: { atLeast: UNKNOWN, atMost: 24 } } },
  { notSet: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2" },
  { logPath: undefined, logRotate: { numTotal: undefined, sizeThresholdMB: { atLeast: 1, atMost: undefined } } },
])("is met: %j", (expected) => {
  expect(unmetExpectations(expected, SETTINGS, [])).toEqual([]);
});

it.each<[expected: object, sentence: string]>([
  [{ logPath: "/srv" }, 'logPath is "/var/log/agent.log", expected "/srv"'],
  [{ username: "u" }, 'username is not set, expected "u"'],
  [{ notSet: ["username", "logPath"] }, 'logPath is "/var/log/agent.log", but should not be set'],
  [{ notSet: ["logRotate"] }, 'logRotate is {"sizeThresholdMB":1000,"timeThresholdHrs":24}, but should not be set'],
  [{ logRotate: { numTotal: { atLeast: 0 } } }, "logRotate.numTotal is not set, expected at least 0"],
])("is not met: %j", (expected, sentence) => {
  expect(unmetExpectations(expected, SETTINGS, [])).toEqual([`${sentence}${ADVICE}`]);
});

it.each([
  [500, "500"],
  [{ atMost: 999.5 }, "at most 999.5"],
  [{ atLeast: 1001 }, "at least 1001"],
  [{ atLeast: 1, atMost: 999 }, "between 1 and 999"],
  [{ atLeast: 999, atMost: 999 }, "999"],
])("is not met by a threshold of 1000: %j", (sizeThresholdMB, wanted) => {
  const sentence = `logRotate.sizeThresholdMB is 1000, expected ${wanted}${ADVICE}`;
  expect(unmetExpectations({ logRotate: { sizeThresholdMB } }, SETTINGS, [])).toEqual([sentence]);
});

it("compares thresholds where the service has none", () => {
  const settings = { ...SETTINGS, logRotate: {} };
  expect(unmetExpectations({ logRotate: { sizeThresholdMB: 1 } }, settings, [])).toEqual([
    `logRotate.sizeThresholdMB is not set, expected 1${ADVICE}`,
  ]);
  expect(unmetExpectations({ notSet: ["logRotate", "logRotate.numTotal"] }, settings, [])).toEqual([]);
});

it.each(Object.keys(logRotateSchema.shape))("expects a threshold as it is declared: %s", (name) => {
  const expected = { logRotate: { [name]: { atMost: 1 } }, notSet: [`logRotate.${name}`] };
  expect(argumentFindings({ projectId: "0123456789abcdef01234567", agent: "backup", expect: expected }, [])).toEqual(
    [],
  );
});

it.each<[expected: unknown, sentence: string]>([
  [[], " must be an object."],
  [{}, " must have a setting, or notSet."],
  [
    { logPth: "/srv" },
    " has unknown names: logPth; the valid ones are logPath, logPathWindows, logRotate, username, notSet.",
  ],
  [{ logPath: 5 }, ".logPath must be a string."],
  [{ logRotate: {} }, ".logRotate must have a threshold."],
  [{ logRotate: [] }, ".logRotate must be an object."],
  [
    { logRotate: { sizeMB: 1 } },
    ".logRotate has unknown names: sizeMB; the valid ones are sizeThresholdMB, timeThresholdHrs, numUncompressed, percentOfDiskspace, numTotal.",
  ],
  [{ logRotate: { numTotal: "5" } }, ".logRotate.numTotal must be a number or a range { atLeast, atMost }."],
  [{ logRotate: { numTotal: {} } }, ".logRotate.numTotal must have atLeast, atMost or both."],
  [
    { logRotate: { numTotal: { atMost: 5, below: 6 } } },
    ".logRotate.numTotal has unknown names: below; the valid ones are atLeast, atMost.",
  ],
  [
    { logRotate: { numTotal: { atLeast: 6, atMost: 5 } } },
    ".logRotate.numTotal can't be met, because atLeast is greater than atMost.",
  ],
  [
    { notSet: ["configOverrides"] },
    ".notSet.0 must be one of logPath, logPathWindows, logRotate, username, logRotate.sizeThresholdMB, logRotate.timeThresholdHrs, logRotate.numUncompressed, logRotate.percentOfDiskspace, logRotate.numTotal.",
  ],
  [{ notSet: "logPath" }, ".notSet must be a list."],
  [{ logPath: "" }, ".logPath must have at least one character, or be listed in notSet."],
])("can't be met by any setting: %j", (expected, sentence) => {
  const [failure] = argumentFindings({ projectId: "0123456789abcdef01234567", agent: "backup", expect: expected }, [
    "expect",
  ]);
  expect(failure?.message).toBe(`Nothing was read: the argument expect${sentence}`);
});

it("names a secret setting and does not quote it, and shows no control characters of the service", () => {
  const expected = { logPath: "/srv", logRotate: { sizeThresholdMB: 1 }, username: "u" };
  expect(unmetExpectations(expected, SETTINGS, ["logPath", "logRotate"])).toEqual([
    `logPath is not as expected${ADVICE}`,
    `logRotate.sizeThresholdMB is not as expected${ADVICE}`,
    `username is not set, expected "u"${ADVICE}`,
  ]);
  const settings = { ...SETTINGS, logPath: "/a\u009B31m\u202E\u2028b" };
  expect(unmetExpectations({ logPath: "/srv" }, settings, [])).toEqual([
    `logPath is "/a\uFFFD31m\uFFFD\uFFFDb", expected "/srv"${ADVICE}`,
  ]);
});
