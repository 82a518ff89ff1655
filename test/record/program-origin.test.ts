import { expect, it } from "vitest";
import { UNKNOWN } from "../../sdk/engine/engine-marks.ts";
import { originIn } from "../../sdk/record/program-origin.ts";

const ORIGIN = { name: "orders", secrets: [], ignoreChanges: [] };

it.each([
  ["read", JSON.stringify(ORIGIN), ORIGIN],
  ["not read yet", "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", UNKNOWN],
  ["forged", JSON.stringify({ projectId: "0123456789abcdef01234567", agent: "monitoring" }), undefined],
  ["no JSON", "{", undefined],
])("tells where the settings beside an origin are from: %s", (_, origin, found) => {
  expect(originIn(origin)).toEqual(found);
});
