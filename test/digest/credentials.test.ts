import crypto, { createHash } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test, vi } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { Signer } from "../../sdk/digest/signer.ts";
import recordedCredentials from "./fixtures/recorded-credentials.json" with { type: "json" };
import { readAuthorization } from "./read-authorization.ts";

/** Makes the client nonce, which is random, the one that recorded credentials were made with. */
function fixClientNonce(cnonce: string): void {
  vi.spyOn(crypto, "randomBytes").mockImplementation(() => Object.assign(Buffer.alloc(0), { toString: () => cnonce }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

const CREDENTIALS = { username: "publickey", password: "private-key-0001" };

function credentialsFor(challenge: string, credentials = CREDENTIALS, method = "GET", uri = "/read") {
  return readAuthorization(new Signer(chooseDigestChallenge(challenge), credentials).authorize(1, method, uri));
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
  fixClientNonce(recorded.cnonce);
  const sent = credentialsFor(recorded.challenge, recorded, recorded.method, recorded.uri);
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

test("quotes in the request target leave the header whole", () => {
  const uri = '/a"b\\c?d="e';
  expect(credentialsFor('Digest realm="r", nonce="n", qop="auth"', CREDENTIALS, "GET", uri)["uri"]).toBe(uri);
});

test("makes another client nonce of at most 16 characters for each nonce", () => {
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const made = [1, 2].map(() => credentialsFor(challenge)["cnonce"]);
  expect(made).toEqual([expect.stringMatching(/^[0-9a-f]{8,16}$/), expect.stringMatching(/^[0-9a-f]{8,16}$/)]);
  expect(new Set(made).size).toBe(2);
});

test("signs each request target and method on its own", () => {
  const { username, password } = CREDENTIALS;
  const signer = new Signer(chooseDigestChallenge('Digest realm="r", nonce="n"'), CREDENTIALS);
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  for (const [method, uri] of [
    ["GET", "/a"],
    ["GET", "/b?c"],
    ["PUT", "/b?c"],
  ] as const) {
    const expected = md5(`${md5(`${username}:r:${password}`)}:n:${md5(`${method}:${uri}`)}`);
    expect(readAuthorization(signer.authorize(1, method, uri))["response"]).toBe(expected);
  }
});
