import { expect, it } from "vitest";
import { completeInputs, type ReadOutcome } from "../../sdk/record/read-outcome.ts";
import { asProperties, asRecord, NO_RECORD } from "../../sdk/record/resource-record.ts";

// What becomes of an outcome, without a host that reads. Random lives are in life.test.ts.

const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const ID = `${ARGS.projectId}/monitoring`;
const NOTHING = { logPath: "", logPathWindows: "", logRotate: {}, username: "", configOverrides: {} };
const RECORD = { ...NOTHING, ...ARGS, logPath: "/old", __readFor: `${ID} here` };
const USING = { ...ARGS, whenUnavailable: "useRecorded" };
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const HERE = { id: ID, service: "here" };
const FOUND: ReadOutcome = { kind: "read", settings: { ...NOTHING, logPath: "/new" }, readFor: HERE };
const REFUSED: ReadOutcome = { kind: "failed", finding: { message: "No.", cause: "no" }, readFor: HERE };
const OUTAGE: ReadOutcome = {
  kind: "failed",
  finding: { message: "Down.", cause: "down", temporary: true },
  readFor: HERE,
};
const OTHER_SERVICE = "Down. But the recorded settings come from another service, so they are not used.";

it.each<[what: string, ReadOutcome, olds: object, news: object, inputs: object, failures?: readonly string[]]>([
  ["read", FOUND, RECORD, ARGS, { logPath: "/new", __readFor: `${ID} here` }],
  ["read, and not as expected", FOUND, RECORD, { ...ARGS, expect: { logPath: "/old" } }, {}, ['logPath is "/new"']],
  [
    "unknown",
    { kind: "unknown" },
    RECORD,
    { ...ARGS, expect: { logPath: "/" } },
    { logPath: UNKNOWN, __readFor: UNKNOWN },
  ],
  [
    "unknown, and one of them is ignored",
    { kind: "unknown" },
    RECORD,
    { ...ARGS, logPath: "/old" },
    { logPath: "/old" },
  ],
  ["ignored", { kind: "ignored" }, RECORD, ARGS, { logPath: "/old", __readFor: `${ID} here` }],
  [
    "ignored, of a state that was edited",
    { kind: "ignored" },
    { ...RECORD, __readFor: "x" },
    ARGS,
    { __readFor: `${ID} null` },
  ],
  ["not read for a refusal", REFUSED, RECORD, USING, { logPath: "/old", __readFor: undefined }, ["No."]],
  ["not read in an outage", OUTAGE, RECORD, ARGS, { logPath: "/old", __readFor: undefined }, ["Down."]],
  ["not read in an outage, and recorded", OUTAGE, RECORD, USING, { logPath: "/old", __readFor: `${ID} here` }],
  [
    "not read in an outage, and recorded of a service that nobody knows",
    OUTAGE,
    { ...RECORD, __readFor: null },
    USING,
    { __readFor: `${ID} null` },
  ],
  [
    "not read in an outage, and recorded elsewhere",
    OUTAGE,
    { ...RECORD, __readFor: `${ID} there` },
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
  const completed = completeInputs(outcome, asRecord({ ...olds }), asRecord({ ...news }), []);
  const found = { __readFor: undefined, ...asProperties(completed.inputs) };
  expect(found).toMatchObject({ ...ARGS, ...inputs });
  expect(completed.failures.map(({ message }) => message)).toEqual(
    failures.map((text) => expect.stringContaining(text)),
  );
});

it("warns of what is not as expected if the program says so", () => {
  const news = asRecord({ ...ARGS, expect: { logPath: "/old" }, whenUnexpected: "warn" });
  const { failures, warnings } = completeInputs(FOUND, NO_RECORD, news, ["logPath"]);
  expect([failures, warnings]).toMatchObject([[], [{ cause: expect.stringMatching(/^logPath is not as expected;/) }]]);
});
