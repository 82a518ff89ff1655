import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { chooseDigestChallenge, RequestSigner } from "../../sdk/digest/digest-scheme.ts";
import recordedCredentials from "./fixtures/recorded-credentials.json" with { type: "json" };
import { readAuthorization } from "./read-authorization.ts";

const CREDENTIALS = { username: "publickey", password: "private-key-0001" };

const SIGNED = { ...CREDENTIALS, cnonce: "c", method: "GET", uri: "/read" };

function credentialsFor(line: string, { cnonce, method, uri, ...credentials } = SIGNED) {
  return readAuthorization(new RequestSigner(chooseDigestChallenge(line), credentials, cnonce).sign(1, method, uri));
}

/**
 * What other implementations sent, each with the cnonce that it used and nc=00000001:
 *
 * - `curl`: `curl --digest -u <username>:<password> -X <method> -g --path-as-is <url>`, version 7.88.1, against a server
 *   that sent the challenge as UTF-8 and kept the `Authorization` header. Its SHA-512-256 is another hash, so it is not used.
 * - `openssl`: `printf %s <text> | openssl dgst -md5` or `-sha512-256`, version 3.0.19, for each step of RFC 7616, section 3.4.1.
 * - `RFC`: printed in the RFC.
 */
test.for(recordedCredentials)("sends the credentials that were recorded: $description", (recorded) => {
  const sent = credentialsFor(recorded.challenge, recorded);
  expect(sent).toMatchObject({ ...recorded.sent, uri: recorded.uri });
});

const SENT_BACK = [
  { description: "realm", parameter: 'realm="a \\"b\\" \\\\c, d=e"', expected: { realm: 'a "b" \\c, d=e' } },
  { description: "opaque", parameter: 'opaque="o \\"p\\""', expected: { opaque: 'o "p"' } },
  { description: "empty opaque", parameter: 'opaque=""', expected: { opaque: "" } },
  { description: "algorithm as spelled", parameter: "algorithm=md5", expected: { algorithm: "md5" } },
  { description: "quoted algorithm", parameter: 'algorithm="SHA-256"', expected: { algorithm: "SHA-256" } },
];

test.for(SENT_BACK)("sends the server's $description back", ({ parameter, expected }) => {
  expect(credentialsFor(`Digest nonce="n", qop="auth", ${parameter}`)).toMatchObject(expected);
});

const LEFT_OUT = [
  { parameter: "opaque", challenge: 'Digest realm="r", nonce="n", qop="auth"' },
  { parameter: "algorithm", challenge: 'Digest realm="r", nonce="n", qop="auth"' },
  { parameter: "qop", challenge: 'Digest realm="r", nonce="n"' },
  { parameter: "nc", challenge: 'Digest realm="r", nonce="n"' },
  { parameter: "cnonce", challenge: 'Digest realm="r", nonce="n"' },
];

test.for(LEFT_OUT)("sends no $parameter that the server did not ask for: $challenge", ({ challenge, parameter }) => {
  expect(credentialsFor(challenge)).not.toHaveProperty(parameter);
});

test("sends the contract's op=auth as qop", () => {
  expect(credentialsFor('Digest realm="r", nonce="n", op="auth"')).toMatchObject({ qop: "auth", nc: "00000001" });
});

test("signs each request target and method on its own", () => {
  const { username, password } = CREDENTIALS;
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  for (const [method, uri] of [
    ["GET", "/a"],
    ["GET", "/b?c"],
    ["PUT", "/b?c"],
  ] as const) {
    const expected = md5(`${md5(`${username}:r:${password}`)}:n:${md5(`${method}:${uri}`)}`);
    expect(credentialsFor('Digest realm="r", nonce="n"', { ...SIGNED, method, uri })["response"]).toBe(expected);
  }
});

test.for([
  { count: 400, nc: "00000190" },
  { count: 16_777_217, nc: "01000001" },
])("the count $count is sent as $nc", ({ count, nc }) => {
  const signer = new RequestSigner(chooseDigestChallenge('Digest realm="r", nonce="n", qop="auth"'), CREDENTIALS, "c");
  expect(signer.sign(count, "GET", "/")).toContain(`nc=${nc}`);
});
