import { expect, it } from "vitest";
import { Cookies } from "../../sdk/transport/cookies.ts";

it.each([
  { description: "no cookie", responses: [[]], expected: undefined },
  { description: "a cookie without its attributes", responses: [["a=1; Path=/; HttpOnly; Secure"]], expected: "a=1" },
  { description: "the cookies of several responses", responses: [["a=1", "b=2"], ["c=3"]], expected: "a=1; b=2; c=3" },
  { description: "the last value of a cookie", responses: [["a=1"], ["a=2"]], expected: "a=2" },
  { description: "a value as it came", responses: [["a=%0d%0a b=; "]], expected: "a=%0d%0a b=" },
  { description: "no cookie after Max-Age=0", responses: [["a=1", "b=2"], ["a=; Max-Age=0"]], expected: "b=2" },
  {
    description: "no cookie that has expired",
    responses: [["a=1"], ["a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]],
    expected: undefined,
  },
  {
    description: "a cookie that expires later",
    responses: [["a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT; Max-Age=60"]],
    expected: "a=1",
  },
  { description: "no cookie without a name", responses: [["=1", "2"]], expected: undefined },
  {
    description: "one value of a name, whatever its path and its domain",
    responses: [["S=1; Path=/ui; Domain=example.com"], ["S=2; Path=/"]],
    expected: "S=2",
  },
  {
    description: "at most 50 cookies",
    responses: [Array.from({ length: 60 }, (_, index) => `c${index}=1`)],
    expected: Array.from({ length: 50 }, (_, index) => `c${index}=1`).join("; "),
  },
])("sends back $description", ({ responses, expected }) => {
  const cookies = new Cookies();
  for (const lines of responses) cookies.keep(lines);
  expect(cookies.header).toBe(expected);
});
