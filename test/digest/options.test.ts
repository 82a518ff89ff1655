import { inspect } from "node:util";
import { expect, test } from "vitest";
import { type DigestOptions, digest } from "../../sdk/digest/index.ts";

const PASSWORD = "a very secret word";

// What JavaScript callers can pass, so their types are not those of DigestOptions.
const REFUSED: readonly { readonly description: string; readonly input: unknown; readonly named: string }[] = [
  { description: "no options", input: undefined, named: "username" },
  { description: "no user name", input: { password: PASSWORD }, named: "username" },
  { description: "an empty user name", input: { username: "", password: PASSWORD }, named: "username" },
  { description: "a user name that is a number", input: { username: 7, password: PASSWORD }, named: "username" },
  {
    description: "a line break in the user name",
    input: { username: "a\r\nX: y", password: PASSWORD },
    named: "username",
  },
  {
    description: "a null character in the user name",
    input: { username: "a\0", password: PASSWORD },
    named: "username",
  },
  {
    description: "half a character in the user name",
    input: { username: "a\ud800", password: PASSWORD },
    named: "username",
  },
  { description: "no password", input: { username: "u" }, named: "password" },
  { description: "a password that is null", input: { username: "u", password: null }, named: "password" },
  {
    description: "a password that is a buffer",
    input: { username: "u", password: Buffer.from(PASSWORD) },
    named: "password",
  },
  {
    description: "an origin that is no URL",
    input: { username: "u", password: PASSWORD, origins: ["example.com"] },
    named: "origins",
  },
  {
    description: "an origin without a host",
    input: { username: "u", password: PASSWORD, origins: ["file:///a"] },
    named: "origins",
  },
  {
    description: "origins that are no list",
    input: { username: "u", password: PASSWORD, origins: "https://example.com" },
    named: "origins",
  },
  {
    description: "an origin that is a number",
    input: { username: "u", password: PASSWORD, origins: [8443] },
    named: "origins",
  },
];

function refusalOf(input: unknown): unknown {
  try {
    Reflect.apply(digest, undefined, [input]);
  } catch (error) {
    return error;
  }
  return undefined;
}

test.for(REFUSED)("refuses $description at once", ({ input, named }) => {
  expect(refusalOf(input)).toMatchObject({
    constructor: TypeError,
    code: "ERR_INVALID_ARG_VALUE",
    message: expect.stringContaining(named),
  });
});

test.for(REFUSED)("keeps the password out of the error: $description", ({ input }) => {
  expect(inspect(refusalOf(input))).not.toContain(PASSWORD);
});

const TAKEN: readonly { readonly description: string; readonly input: DigestOptions }[] = [
  { description: "an empty password", input: { username: "u", password: "" } },
  { description: "a user name beyond ISO-8859-1", input: { username: "Łukasz", password: PASSWORD } },
  { description: "no origin at all", input: { username: "u", password: PASSWORD, origins: [] } },
  {
    description: "an origin with a path",
    input: { username: "u", password: PASSWORD, origins: ["https://example.com/a"] },
  },
];

test.for(TAKEN)("takes $description", ({ input }) => {
  expect(digest(input)).toBeTypeOf("function");
});

test("refuses a dispatcher of an older undici, whose handlers would never be answered", () => {
  const intercept = digest({ username: "user", password: "pass" })(() => true);
  const dispatch = () => intercept({ origin: "http://127.0.0.1", path: "/", method: "GET" }, {});
  expect(dispatch).toThrow("install undici@8 beside this package");
});
