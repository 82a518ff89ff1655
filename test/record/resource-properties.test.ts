import { expect, it } from "vitest";
import { UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { asProperties, parseProperties } from "../../sdk/record/resource-properties.ts";

const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const ORIGIN = { name: "orders", secrets: [], ignoreChanges: [] };

it.each<[description: string, properties: object]>([
  ["nothing", {}],
  ["null and absent settings", { ...ARGS, logPath: null, logRotate: { numTotal: 5 } }],
  ["unknown values", { projectId: UNKNOWN, agent: "backup", logRotate: UNKNOWN, __readTarget: UNKNOWN }],
  [
    "arguments and settings of other shapes",
    { projectId: 5, whenUnexpected: [], tags: null, logPath: [1], logRotate: 5 },
  ],
  ["members that are no thresholds", JSON.parse('{"logRotate":{"a":1,"__proto__":2}}')],
  ["what is internal", { __provider: "exports.handler", __readTarget: "a/b null" }],
  [
    "that it fails in an outage",
    { ...ARGS, __failures: 'findings: [{"causeKey":"c","message":"m","temporary":true}]' },
  ],
  [
    "why it fails",
    { ...ARGS, __failures: 'findings: [{"causeKey":"c","message":"m"},{"causeKey":"d","message":"n"}]' },
  ],
])("keeps the properties of the engine as they are: %s", (_, properties) => {
  expect(asProperties(parseProperties({ ...properties }))).toEqual(properties);
});

it("leaves out what is undefined, what is of one check, and other internal names", () => {
  const passing = {
    expect: undefined,
    logRotate: undefined,
    __failures: null,
    __origin: JSON.stringify(ORIGIN),
    __zzz: 1,
  };
  expect(Object.keys(asProperties(parseProperties({ ...ARGS, ...passing })))).toEqual(Object.keys(ARGS));
});
