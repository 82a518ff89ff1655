import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import { openDigestAgent, readStatus } from "./digest-agent.ts";
import { acceptWith, PASSWORD, refuse, startScriptedServer, USERNAME } from "./digest-server.ts";
import recordedCredentials from "./fixtures/recorded-credentials.json" with { type: "json" };
import { startLocalServer } from "./local-server.ts";
import { readAuthorization } from "./read-authorization.ts";

// The client nonce is random. Recorded credentials need the one that they were made with.
const cnonce = vi.hoisted(() => ({ fixed: undefined as string | undefined }));
vi.mock("node:crypto", async (importOriginal) => {
  const crypto = await importOriginal<typeof import("node:crypto")>();
  const randomBytes = (size: number) => {
    const { fixed } = cnonce;
    return fixed === undefined ? crypto.randomBytes(size) : { toString: () => fixed };
  };
  return { ...crypto, randomBytes };
});

async function credentialsFor(
  challenge: string,
  { username, password }: { readonly username: string; readonly password: string },
  { method, uri }: { readonly method: string; readonly uri: string },
  refusals = 0,
): Promise<Readonly<Record<string, string>>> {
  const earlier = Array.from({ length: refusals }, (_, index) => refuse(`Digest realm="r", nonce="${index}"`));
  const script = [...earlier, refuse(challenge)].values();
  const server = await startLocalServer((seen, response) => (script.next().value ?? acceptWith({}))(seen, response));
  const { body } = await openDigestAgent(server, { username, password }).request({
    origin: server.origin,
    path: uri,
    method,
  });
  await body.dump();
  return readAuthorization(server.requests.at(-1)?.headers.authorization);
}

/**
 * What other implementations sent, each with the cnonce that it used and nc=00000001, after this number of refusals:
 *
 * - `curl`: `curl --digest -u <username>:<password> -X <method> -g --path-as-is <url>`, version 7.88.1, against a server
 *   that sent the challenge as UTF-8 and kept the `Authorization` header. Its SHA-512-256 is another hash, so it is not used.
 * - `openssl`: `printf %s <text> | openssl dgst -md5` or `-sha512-256`, version 3.0.19, for each step of RFC 7616, section 3.4.1.
 * - `RFC`: printed in the RFC.
 */
test.for(recordedCredentials)("sends the credentials that were recorded: $description", async (recorded) => {
  cnonce.fixed = recorded.cnonce;
  const sent = await credentialsFor(recorded.challenge, recorded, recorded, recorded.refusals);
  expect(sent).toMatchObject({ ...recorded.sent, uri: recorded.uri });
});

const REQUEST = { method: "GET", uri: "/read" };
const CREDENTIALS = { username: USERNAME, password: PASSWORD };

const SENT_BACK = [
  { description: "realm", parameter: 'realm="a \\"b\\" \\\\c, d=e"', expected: { realm: 'a "b" \\c, d=e' } },
  { description: "opaque", parameter: 'opaque="o \\"p\\""', expected: { opaque: 'o "p"' } },
  { description: "empty opaque", parameter: 'opaque=""', expected: { opaque: "" } },
  { description: "algorithm as spelled", parameter: "algorithm=md5", expected: { algorithm: "md5" } },
  { description: "quoted algorithm", parameter: 'algorithm="SHA-256"', expected: { algorithm: "SHA-256" } },
];

test.for(SENT_BACK)("sends the server's $description back", async ({ parameter, expected }) => {
  const sent = await credentialsFor(`Digest nonce="n", qop="auth", ${parameter}`, CREDENTIALS, REQUEST);
  expect(sent).toMatchObject(expected);
});

const LEFT_OUT = [
  { description: "opaque", challenge: 'Digest realm="r", nonce="n", qop="auth"', parameter: "opaque" },
  { description: "algorithm", challenge: 'Digest realm="r", nonce="n", qop="auth"', parameter: "algorithm" },
  { description: "qop", challenge: 'Digest realm="r", nonce="n"', parameter: "qop" },
  { description: "nc where there is no qop", challenge: 'Digest realm="r", nonce="n"', parameter: "nc" },
  { description: "cnonce where there is no qop", challenge: 'Digest realm="r", nonce="n"', parameter: "cnonce" },
];

test.for(LEFT_OUT)("sends no $description that the server did not ask for", async ({ challenge, parameter }) => {
  expect(await credentialsFor(challenge, CREDENTIALS, REQUEST)).not.toHaveProperty(parameter);
});

test("quotes in the request target leave the header whole", async () => {
  const sent = await credentialsFor('Digest realm="r", nonce="n", qop="auth"', CREDENTIALS, {
    ...REQUEST,
    uri: '/a"b\\c?d="e',
  });
  expect(sent["uri"]).toBe('/a"b\\c?d="e');
});

test("makes a client nonce of at most 16 characters", async () => {
  cnonce.fixed = undefined;
  const sent = await credentialsFor('Digest realm="r", nonce="n", qop="auth"', CREDENTIALS, REQUEST);
  expect(sent["cnonce"]).toMatch(/^[0-9a-f]{8,16}$/);
});

test("makes another client nonce for another nonce", async () => {
  cnonce.fixed = undefined;
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const first = await credentialsFor(challenge, CREDENTIALS, REQUEST);
  const second = await credentialsFor(challenge, CREDENTIALS, REQUEST);
  expect(first["cnonce"]).not.toBe(second["cnonce"]);
});

test("signs each request target on its own", async () => {
  const server = await startScriptedServer(refuse('Digest realm="r", nonce="n", algorithm=MD5'), acceptWith({}));
  const agent = openDigestAgent(server);
  for (const path of ["/a", "/b?c"]) await readStatus(agent, `${server.origin}${path}`);
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  const expected = md5(`${md5(`${USERNAME}:r:${PASSWORD}`)}:n:${md5("GET:/b?c")}`);
  expect(readAuthorization(server.requests[2]?.headers.authorization)["response"]).toBe(expected);
});

test("never puts the password on the wire", async () => {
  const server = await startScriptedServer(refuse('Digest realm="r", nonce="n"'), acceptWith({}));
  await readStatus(openDigestAgent(server), server.origin);
  expect(JSON.stringify(server.requests)).not.toContain(PASSWORD);
});
