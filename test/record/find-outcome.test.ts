import { expect, it } from "vitest";
import { UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { keptNames } from "../../sdk/record/find-outcome.ts";
import { parseProperties } from "../../sdk/record/resource-properties.ts";

const OLDS = { projectId: "1", agent: "backup", logPath: "/old", username: "u", logRotate: { numTotal: 5 } };
const ignoring = (...ignoreChanges: readonly string[]) => {
  return { __origin: JSON.stringify({ name: "r", secrets: [], ignoreChanges }) };
};

// The engine itself keeps members of settings.
it.each<[description: string, olds: object, news: object, names: readonly string[]]>([
  ["those that the program names", OLDS, ignoring("username", "agent", '["logPath"]'), ["logPath", "username"]],
  ["none of which it names a member", OLDS, ignoring("logRotate.numTotal", 'logRotate["numTotal"]', "*"), []],
  ["those that the engine has put among inputs without an origin", OLDS, { logPath: "/old" }, ["logPath"]],
  ["none that differs from the record", OLDS, { logPath: "/new", logRotate: { numTotal: 6 } }, []],
  ["none of a record of another project", { ...OLDS, projectId: "2" }, ignoring("logPath"), []],
  ["none while the project is unknown", OLDS, { ...ignoring("logPath"), projectId: UNKNOWN }, []],
  [
    "none while the project is unknown, although the engine has put it among inputs",
    OLDS,
    { projectId: UNKNOWN, logPath: "/old" },
    [],
  ],
  ["none without a record", {}, ignoring("logPath"), []],
])("keeps %s", (_, olds, news, names) => {
  const inputs = { projectId: "1", agent: "backup", ...news };
  expect(keptNames(parseProperties({ ...olds }), parseProperties(inputs))).toEqual(names);
});
