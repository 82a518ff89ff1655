import { expect, it } from "vitest";
import { jsonOf } from "../../sdk/text/json.ts";

it.each([
  ["a member that is undefined is left out", { a: undefined, b: { c: undefined, d: null } }, { b: { d: null } }],
  ["an item that is undefined keeps its place", [undefined, [1]], [null, [1]]],
  ["what JSON does not have is null", [1n, () => {}, Symbol.iterator], [null, null, null]],
  ["anything else stays", { a: ["", 0, false, null, {}] }, { a: ["", 0, false, null, {}] }],
])("%s", (_, value, json) => {
  expect(jsonOf(value)).toStrictEqual(json);
});
