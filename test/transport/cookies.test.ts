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
    description: "the cookies of this path and those above it",
    responses: [["a=1; Path=/api", "b=2; Path=/api/", "c=3; Path=/api/public/v1.0/groups", "d=4; Path=relative"]],
    expected: "a=1; b=2; c=3; d=4",
  },
  {
    description: "no cookie of another path, which clears none of this one",
    responses: [["S=1; Path=/"], ["S=; Max-Age=0; Path=/ui", "a=1; Path=/ap", "b=2; Path=/api/public/v1.0/groups/p/x"]],
    expected: "S=1",
  },
  {
    description: "the cookies of the host and of its domain",
    responses: [["a=1; Domain=om.example.com", "b=2; Domain=.Example.com"]],
    expected: "a=1; b=2",
  },
  {
    description: "no cookie of another domain",
    responses: [["a=1; Domain=other.example", "b=2; Domain=m.example.com", "c=3; Domain=x.om.example.com"]],
    expected: undefined,
  },
  {
    description: "at most 50 cookies",
    responses: [Array.from({ length: 60 }, (_, index) => `c${index}=1`)],
    expected: Array.from({ length: 50 }, (_, index) => `c${index}=1`).join("; "),
  },
])("sends back $description", ({ responses, expected }) => {
  const cookies = new Cookies();
  const request = new URL("https://om.example.com/api/public/v1.0/groups/p?pretty=true");
  for (const lines of responses) cookies.keep(lines, request);
  expect(cookies.header).toBe(expected);
});
