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
    expected: "c=3; a=1; b=2; d=4",
  },
  {
    description: "no cookie of another path, which clears none of this one",
    responses: [["S=1; Path=/"], ["S=; Max-Age=0; Path=/ui", "a=1; Path=/ap", "b=2; Path=/api/public/v1.0/groups/p/x"]],
    expected: "S=1",
  },
  {
    description: "the cookies of one name apart, that of the longest path first",
    responses: [["S=1; Path=/", "S=2; Path=/api"], ["T=3; Path=/api"]],
    expected: "S=2; T=3; S=1",
  },
  {
    description: "the cookie of another path, although one of its name has gone",
    responses: [["S=1; Path=/", "S=2; Path=/api"], ["S=; Max-Age=0; Path=/api/"]],
    expected: "S=1",
  },
  {
    description: "the cookie of the domain, although that of the host has gone",
    responses: [["S=1", "S=2; Domain=example.com"], ["S=; Max-Age=0"]],
    expected: "S=2",
  },
  {
    description: "the last value of a cookie whose domain is spelled otherwise",
    responses: [["S=1; Domain=example.com"], ["S=2; Domain=.EXAMPLE.com."]],
    expected: "S=2",
  },
  {
    description: "the cookies of the host and of its domain",
    responses: [["a=1; Domain=om.example.com", "b=2; Domain=.Example.com"]],
    expected: "a=1; b=2",
  },
  {
    description: "the cookie of the host apart from one that names the host as its domain, as curl does",
    responses: [["S=1"], ["S=2; Domain=om.example.com"], ["S=3; Domain=.om.example.com"], ["S=4"]],
    expected: "S=3; S=4",
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

it("sends back the cookies of the domain to a host that is written with a dot at its end", () => {
  const cookies = new Cookies();
  cookies.keep("a=1; Domain=example.com", new URL("https://om.example.com./api/public/v1.0/groups/p"));
  cookies.keep("b=1; Domain=other.example", new URL("https://om.example.com./api/public/v1.0/groups/p"));
  expect(cookies.header).toBe("a=1");
});
