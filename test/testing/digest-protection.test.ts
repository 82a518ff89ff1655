import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DigestProtection, type NoncePolicy, type Verdict } from "../../sdk/testing/digest-protection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** A server, and a client that uses the nonce of one challenge. */
function open(nonces: NoncePolicy = {}) {
  const protection = new DigestProtection({ realm: "r", username: "u", password: "p", nonces });
  const nonce = /nonce="(.*?)"/.exec(challengeIn(protection.judge("GET", "/a", undefined)))?.[1] ?? "";
  const send = (count: number, changed: Readonly<Record<string, string>> = {}): Verdict => {
    const values = { username: "u", realm: "r", method: "GET", uri: "/a", target: "/a", ...changed };
    const { username, realm, method, uri, target } = values;
    const nc = count.toString(16).padStart(8, "0");
    const response = md5(`${md5(`${username}:${realm}:p`)}:${nonce}:${nc}:c:auth:${md5(`${method}:${uri}`)}`);
    const credentials = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return protection.judge("GET", target, `Digest ${credentials}, qop=auth, nc=${nc}, cnonce="c"`);
  };
  return { protection, send };
}

function challengeIn(verdict: Verdict): string {
  return verdict.accepted ? "accepted" : verdict.challenge;
}

const STALE = { accepted: false, challenge: expect.stringContaining("stale=true") };
const REFUSED = { accepted: false, challenge: expect.stringContaining("stale=false") };
const ACCEPTED = { accepted: true };

it.each([
  { nonces: {}, uses: 1023 },
  { nonces: { uses: 2 }, uses: 2 },
])("takes a nonce for $uses requests with $nonces, and calls it stale then", ({ nonces, uses }) => {
  const { send } = open(nonces);
  for (let count = 1; count <= uses; count += 1) expect(send(count)).toEqual(ACCEPTED);
  expect(send(uses + 1)).toEqual(STALE);
});

it.each([
  { nonces: {}, seconds: 60 },
  { nonces: { lifetimeSeconds: 2 }, seconds: 2 },
])("takes a nonce for $seconds s with $nonces", ({ nonces, seconds }) => {
  const { send } = open(nonces);
  vi.advanceTimersByTime(seconds * 1000);
  expect(send(1)).toEqual(ACCEPTED);
  vi.advanceTimersByTime(1);
  expect(send(2)).toEqual(STALE);
});

it("calls a nonce stale that it has forgotten", () => {
  const { protection, send } = open();
  protection.forgetNonces();
  expect(send(1)).toEqual(STALE);
});

it("takes each count once, in any order unless that is strict", () => {
  const { send } = open();
  expect([send(2), send(1), send(2)]).toEqual([ACCEPTED, ACCEPTED, REFUSED]);
  const { send: sendStrictly } = open({ strictCounts: true });
  expect([sendStrictly(2), sendStrictly(1)]).toEqual([REFUSED, ACCEPTED]);
});

it.each([{ username: "other" }, { realm: "other" }, { method: "PUT" }, { uri: "/b" }])(
  "refuses credentials with %o, which are not stale",
  (changed) => {
    expect(open().send(1, changed)).toEqual(REFUSED);
  },
);
