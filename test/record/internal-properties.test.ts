import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { internalIn, internalProperties } from "../../sdk/record/resource-properties.ts";

const sdk = path.join(import.meta.dirname, "../../sdk");

it("is the one file that spells the internal properties", () => {
  const names = /\b__(?:provider|origin|failsIn|readTarget|failures|external)\b/;
  const files = globSync("**/*.ts", { cwd: sdk }).filter((file) =>
    names.test(readFileSync(path.join(sdk, file), "utf8")),
  );
  expect(files).toEqual([path.normalize("record/resource-properties.ts")]);
});

// The boolean, the number, the array and the object that are not known yet.
it.each([
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
])("takes the mark %s for what is not known yet", (mark) => {
  const text = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const { readTarget, origin } = internalIn({ __readTarget: mark, __origin: mark });
  expect([internalProperties({ readTarget }), origin]).toEqual([{ __readTarget: text }, text]);
});

it.each([null, "x", "a/b", "a/b c d", 5, ["a/b c"]])("takes nothing from the edited state %j", (value) => {
  expect(internalIn({ __readTarget: value, __failures: value, __failsIn: value, __external: value })).toEqual({
    isExternal: false,
    provider: undefined,
    origin: undefined,
    failsIn: undefined,
    readTarget: undefined,
    failures: [],
  });
});
