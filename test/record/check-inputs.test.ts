import { expect, it } from "vitest";
import { completeInputs } from "../../sdk/record/check-inputs.ts";
import type { ReadOutcome } from "../../sdk/record/find-outcome.ts";
import { NO_RECORD } from "../../sdk/record/recorded-settings.ts";
import { asProperties, parseProperties } from "../../sdk/record/resource-properties.ts";

// What becomes of an outcome, without a host that reads. Random lives are in life.test.ts.

const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const ID = `${ARGS.projectId}/monitoring`;
const NOTHING = { logPath: "", logPathWindows: "", logRotate: {}, username: "", configOverrides: {} };
const RECORD = { ...NOTHING, ...ARGS, logPath: "/old", __readTarget: `${ID} here` };
const USING = { ...ARGS, whenUnavailable: "useRecorded" };
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const HERE = { id: ID, service: "here" };
const FOUND: ReadOutcome = { kind: "read", settings: { ...NOTHING, logPath: "/new" }, readTarget: HERE };
const REFUSED: ReadOutcome = { kind: "failed", finding: { message: "No.", causeKey: "no" }, readTarget: HERE };
const OUTAGE: ReadOutcome = {
  kind: "failed",
  finding: { message: "Down.", causeKey: "down", temporary: true },
  readTarget: HERE,
};
const OTHER_SERVICE = "Down. But the recorded settings come from another service, so they are not used.";

it.each<[what: string, ReadOutcome, olds: object, news: object, inputs: object, failures?: readonly string[]]>([
  ["read", FOUND, RECORD, ARGS, { logPath: "/new", __readTarget: `${ID} here` }],
  ["read, and not as expected", FOUND, RECORD, { ...ARGS, expect: { logPath: "/old" } }, {}, ['logPath is "/new"']],
  [
    "unknown",
    { kind: "unknown" },
    RECORD,
    { ...ARGS, expect: { logPath: "/" } },
    { logPath: UNKNOWN, __readTarget: UNKNOWN },
  ],
  [
    "unknown, and one of them is ignored",
    { kind: "unknown" },
    RECORD,
    { ...ARGS, logPath: "/old" },
    { logPath: "/old" },
  ],
  ["ignored", { kind: "ignored" }, RECORD, ARGS, { logPath: "/old", __readTarget: `${ID} here` }],
  [
    "ignored, of a state that was edited",
    { kind: "ignored" },
    { ...RECORD, __readTarget: "x" },
    ARGS,
    { __readTarget: `${ID} null` },
  ],
  ["not read for a refusal", REFUSED, RECORD, USING, { logPath: "/old", __readTarget: undefined }, ["No."]],
  ["not read in an outage", OUTAGE, RECORD, ARGS, { logPath: "/old", __readTarget: undefined }, ["Down."]],
  ["not read in an outage, and recorded", OUTAGE, RECORD, USING, { logPath: "/old", __readTarget: `${ID} here` }],
  [
    "not read in an outage, and recorded of a service that nobody knows",
    OUTAGE,
    { ...RECORD, __readTarget: null },
    USING,
    { __readTarget: `${ID} null` },
  ],
  [
    "not read in an outage, and recorded elsewhere",
    OUTAGE,
    { ...RECORD, __readTarget: `${ID} there` },
    USING,
    {},
    [OTHER_SERVICE],
  ],
  [
    "not read in an outage, and recorded, but not as expected",
    OUTAGE,
    RECORD,
    { ...USING, expect: { logPath: "/new" } },
    {},
    ['logPath is "/old"'],
  ],
  ["not read in an outage, and not recorded", OUTAGE, {}, USING, { logPath: "" }, ["Down."]],
])("completes the inputs of a resource whose settings are %s", (_, outcome, olds, news, inputs, failures = []) => {
  const completed = completeInputs(outcome, parseProperties({ ...olds }), parseProperties({ ...news }), []);
  const found = { __readTarget: undefined, ...asProperties(completed.inputs) };
  expect(found).toMatchObject({ ...ARGS, ...inputs });
  expect(completed.failures.map(({ message }) => message)).toEqual(
    failures.map((text) => expect.stringContaining(text)),
  );
});

it("warns of what is not as expected if the program says so", () => {
  const news = parseProperties({ ...ARGS, expect: { logPath: "/old" }, whenUnexpected: "warn" });
  const { failures, warnings } = completeInputs(FOUND, NO_RECORD, news, ["logPath"]);
  expect([failures, warnings]).toMatchObject([
    [],
    [{ causeKey: expect.stringMatching(/^logPath is not as expected;/) }],
  ]);
});
