import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { digestProtection } from "../../sdk/testing/digest-protection.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

const protect = () => digestProtection({ realm: "r", username: "u", password: "p" });

/** Returns a client that uses the nonce of a server's first challenge. */
function open(challengeFor = protect(), first = challengeFor("GET", "/a", undefined)) {
  const nonce = /nonce="(.*?)"/.exec(first ?? "")?.[1] ?? "";
  return (count: number, changed: Readonly<Record<string, string>> = {}): string | undefined => {
    const values = { username: "u", realm: "r", method: "GET", uri: "/a", target: "/a", ...changed };
    const { username, realm, method, uri, target } = values;
    const nc = count.toString(16).padStart(8, "0");
    const response = md5(`${md5(`${username}:${realm}:p`)}:${nonce}:${nc}:c:auth:${md5(`${method}:${uri}`)}`);
    const credentials = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`;
    return challengeFor("GET", target, `Digest ${credentials}, qop=auth, nc=${nc}, cnonce="c"`);
  };
}

const STALE: unknown = expect.stringContaining("stale=true");
const REFUSED: unknown = expect.stringContaining("stale=false");
const ACCEPTED = undefined;

it("calls a nonce stale that it has not made", () => {
  expect(open(protect(), protect()("GET", "/a", undefined))(1)).toEqual(STALE);
});

it("takes each count once, in any order", () => {
  const send = open();
  expect([send(2), send(1), send(2)]).toEqual([ACCEPTED, ACCEPTED, REFUSED]);
});

it.each([{ username: "other" }, { realm: "other" }, { method: "PUT" }, { uri: "/b" }])(
  "refuses credentials with %o, which are not stale",
  (changed) => {
    expect(open()(1, changed)).toEqual(REFUSED);
  },
);
