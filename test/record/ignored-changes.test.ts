import { expect, it } from "vitest";
import { keepIgnored, pathsToSettings } from "../../sdk/record/ignored-changes.ts";

const ROTATION = { sizeThresholdMB: 1000, numTotal: 5 };
const EMPTY = { logPath: "", logPathWindows: "", logRotate: {}, username: "", configOverrides: {} };

// What the engine does where both sides are maps; where one is absent it keeps nothing.
it.each<[path: string, found: object, recorded: object, kept: object]>([
  ["logPath", { logPath: "/new" }, { logPath: "/old" }, { logPath: "/old" }],
  ['["logPath"]', { logPath: "/new" }, {}, { logPath: "" }],
  ["logRotate.numTotal", { logRotate: { numTotal: 1 } }, { logRotate: ROTATION }, { logRotate: { numTotal: 5 } }],
  [
    'logRotate["numTotal"]',
    { logRotate: ROTATION },
    { logRotate: { numTotal: 1 } },
    { logRotate: { ...ROTATION, numTotal: 1 } },
  ],
  ["logRotate.numTotal", { logRotate: null }, { logRotate: ROTATION }, { logRotate: { numTotal: 5 } }],
  ["logRotate.numTotal", { logRotate: { numTotal: 1 } }, { logRotate: null }, { logRotate: {} }],
  ["logRotate.numTotal", { logRotate: ROTATION }, { logRotate: null }, { logRotate: { sizeThresholdMB: 1000 } }],
  ["logRotate.numTotal", { logRotate: null }, { logRotate: null }, { logRotate: {} }],
  ["logRotate.numTotal", { logRotate: {} }, { logRotate: { sizeThresholdMB: 1 } }, { logRotate: {} }],
  ["logRotate.*", { logRotate: null }, { logRotate: ROTATION }, { logRotate: ROTATION }],
  [
    'configOverrides["a.b"]',
    { configOverrides: null },
    { configOverrides: { "a.b": 1 } },
    { configOverrides: { "a.b": 1 } },
  ],
  [
    "configOverrides.a.b",
    { configOverrides: { a: { b: 2, c: 3 } } },
    { configOverrides: { a: { b: 1 } } },
    { configOverrides: { a: { b: 1, c: 3 } } },
  ],
  [
    "configOverrides.list[0]",
    { configOverrides: { list: [2] } },
    { configOverrides: { list: [1] } },
    { configOverrides: { list: [2] } },
  ],
  [
    "configOverrides.*.level",
    { configOverrides: { a: { level: 2, x: 2 }, n: { x: 1 } } },
    { configOverrides: { a: { level: 1, x: 1 } } },
    { configOverrides: { a: { level: 1, x: 2 }, n: { x: 1 } } },
  ],
  [
    "configOverrides.a.b",
    { configOverrides: { a: { b: 1 } } },
    { configOverrides: { a: "text" } },
    { configOverrides: { a: { b: 1 } } },
  ],
  [
    "configOverrides.a.b",
    { configOverrides: { a: 5 } },
    { configOverrides: { a: { b: 1 } } },
    { configOverrides: { a: 5 } },
  ],
  [
    'configOverrides["a\\"b"]',
    { configOverrides: { 'a"b': 2 } },
    { configOverrides: { 'a"b': 1 } },
    { configOverrides: { 'a"b': 1 } },
  ],
  [
    'configOverrides["back\\slash"]',
    { configOverrides: { "back\\slash": 2 } },
    { configOverrides: { "back\\slash": 1 } },
    { configOverrides: { "back\\slash": 1 } },
  ],
  [
    'configOverrides["back\\\\slash"]',
    { configOverrides: { "back\\slash": 2 } },
    { configOverrides: { "back\\slash": 1 } },
    { configOverrides: { "back\\slash": 2 } },
  ],
  ["configOverrides.toString", { configOverrides: { a: 1 } }, { configOverrides: {} }, { configOverrides: { a: 1 } }],
  ["projectId", { logPath: "/new" }, { logPath: "/old" }, { logPath: "/new" }],
])("keeps of %s what is recorded: found %j, recorded %j", (path, found, recorded, kept) => {
  expect(keepIgnored({ ...found }, { ...recorded }, pathsToSettings([path]))).toEqual({ ...EMPTY, ...kept });
});

// The engine skips a path that it can't read, and reads an index as that of a list.
it.each(["logRotate[numTotal]", "logRotate.", ".logRotate", 'logRotate["numTotal]', 'logRotate["numTotal\\"]', "[0]"])(
  "keeps nothing for the path %s",
  (path) => {
    const found = { logRotate: { numTotal: 1 } };
    expect(keepIgnored(found, { logRotate: ROTATION }, pathsToSettings([path]))).toEqual({ ...EMPTY, ...found });
  },
);
