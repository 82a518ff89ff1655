import { expect, test } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { Nonce } from "../../sdk/digest/nonce.ts";
import { NonceSession } from "../../sdk/digest/nonce-session.ts";
import { readAuthorization } from "./read-authorization.ts";

const CREDENTIALS = { username: "u", password: "p" };

function nonceAt(count: number): Nonce {
  const challenge = chooseDigestChallenge(['Digest realm="r", nonce="n", opaque="o", qop="auth"']);
  const nonce = new Nonce(challenge, CREDENTIALS);
  nonce.count = count;
  return nonce;
}

function signWith(nonce: Nonce): Readonly<Record<string, string>> {
  return readAuthorization(nonce.authorize("GET", "/"));
}

const COUNTS = [
  { description: "the 1st request", input: 0, expected: "00000001" },
  { description: "the 10th request", input: 9, expected: "0000000a" },
  { description: "the 400th request", input: 399, expected: "00000190" },
  { description: "the 1,024th request", input: 1023, expected: "00000400" },
  { description: "the 16,777,217th request", input: 16_777_216, expected: "01000001" },
  { description: "the last request", input: 0xfffffffe, expected: "ffffffff" },
];

test.for(COUNTS)("counts $description in hexadecimal", ({ input, expected }) => {
  expect(signWith(nonceAt(input))["nc"]).toBe(expected);
});

test("is exhausted by the count ffffffff", () => {
  expect(nonceAt(0xffffffff).exhausted).toBe(true);
});

test("is not exhausted before the count ffffffff", () => {
  expect(nonceAt(0xfffffffe).exhausted).toBe(false);
});

test("is followed by one that counts from the start", () => {
  expect(signWith(nonceAt(7).successor("next"))).toMatchObject({ nonce: "next", nc: "00000001", opaque: "o" });
});

test("an exhausted nonce is not handed out", () => {
  const session = new NonceSession("http://127.0.0.1", CREDENTIALS);
  const nonce = nonceAt(0xffffffff);
  const asking = { proceed() {} };
  session.take(asking);
  session.accepted(nonce, undefined, undefined);
  session.ended(asking);
  expect(session.take({ proceed() {} })).toBe("probe");
});

test("an exhausted nonce gives way to the next one", () => {
  const session = new NonceSession("http://127.0.0.1", CREDENTIALS);
  const [asking, asksAgain] = [{ proceed() {} }, { proceed() {} }];
  session.take(asking);
  session.accepted(nonceAt(0xffffffff), undefined, undefined);
  session.ended(asking);
  session.take(asksAgain);
  const fresh = nonceAt(1);
  session.accepted(fresh, undefined, undefined);
  session.ended(asksAgain);
  expect(session.take(asking)).toBe(fresh);
});
