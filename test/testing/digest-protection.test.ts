import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DigestProtection } from "../../sdk/testing/digest-protection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** A server, and a client that uses the nonce of one challenge. */
function open() {
  const protection = new DigestProtection({ realm: "r", username: "u", password: "p" });
  const nonce = /nonce="(.*?)"/.exec(protection.challengeFor("GET", "/a", undefined) ?? "")?.[1] ?? "";
  const send = (count: number, changed: Readonly<Record<string, string>> = {}): string | undefined => {
    const values = { username: "u", realm: "r", method: "GET", uri: "/a", target: "/a", ...changed };
    const { username, realm, method, uri, target } = values;
    const nc = count.toString(16).padStart(8, "0");
    const response = md5(`${md5(`${username}:${realm}:p`)}:${nonce}:${nc}:c:auth:${md5(`${method}:${uri}`)}`);
    const credentials = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return protection.challengeFor("GET", target, `Digest ${credentials}, qop=auth, nc=${nc}, cnonce="c"`);
  };
  return { protection, send };
}

const STALE: unknown = expect.stringContaining("stale=true");
const REFUSED: unknown = expect.stringContaining("stale=false");
const ACCEPTED = undefined;

it("takes a nonce for 1023 requests, and calls it stale then", () => {
  const { send } = open();
  for (let count = 1; count <= 1023; count += 1) expect(send(count)).toEqual(ACCEPTED);
  expect(send(1024)).toEqual(STALE);
});

it("takes a nonce for 60 s", () => {
  const { send } = open();
  vi.advanceTimersByTime(60_000);
  expect(send(1)).toEqual(ACCEPTED);
  vi.advanceTimersByTime(1);
  expect(send(2)).toEqual(STALE);
});

it("calls a nonce stale that it has forgotten", () => {
  const { protection, send } = open();
  protection.forgetNonces();
  expect(send(1)).toEqual(STALE);
});

it("takes each count once, in any order", () => {
  const { send } = open();
  expect([send(2), send(1), send(2)]).toEqual([ACCEPTED, ACCEPTED, REFUSED]);
});

it.each([{ username: "other" }, { realm: "other" }, { method: "PUT" }, { uri: "/b" }])(
  "refuses credentials with %o, which are not stale",
  (changed) => {
    expect(open().send(1, changed)).toEqual(REFUSED);
  },
);
