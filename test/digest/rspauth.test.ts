import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openDigestAgent, readStatus } from "./digest-agent.ts";
import { PASSWORD, refuse, startScriptedServer, USERNAME } from "./digest-server.ts";
import type { Respond } from "./local-server.ts";
import { readAuthorization } from "./read-authorization.ts";

const CHALLENGE = 'Digest realm="r", nonce="n", qop="auth"';

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** Responds with an `Authentication-Info` that is made from the `rspauth` of RFC 7616, section 3.5. */
function prove(infoWith: (rspauth: string) => string | string[]): Respond {
  return ({ headers }, response) => {
    const { realm, nonce, nc, cnonce, qop, uri } = readAuthorization(headers.authorization);
    const middle = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${qop}`;
    const rspauth = md5(`${md5(`${USERNAME}:${realm}:${PASSWORD}`)}:${middle}:${md5(`:${uri}`)}`);
    response.writeHead(200, { "Authentication-Info": infoWith(rspauth) }).end("accepted");
  };
}

async function read(respond: Respond, challenge = CHALLENGE): Promise<number> {
  const server = await startScriptedServer(refuse(challenge), respond);
  return readStatus(openDigestAgent(server), `${server.origin}/a?b`);
}

const RIGHT: readonly { readonly description: string; readonly infoWith: (rspauth: string) => string | string[] }[] = [
  { description: "is right", infoWith: (rspauth) => `rspauth="${rspauth}", qop=auth` },
  { description: "is right in capitals", infoWith: (rspauth) => `rspauth="${rspauth.toUpperCase()}"` },
  { description: "is right and not quoted", infoWith: (rspauth) => `qop=auth,rspauth=${rspauth}` },
  { description: "is right in a second line", infoWith: (rspauth) => ["qop=auth", `rspauth="${rspauth}"`] },
  { description: "is absent", infoWith: () => "qop=auth" },
  { description: "is in a header that can't be read", infoWith: () => 'rspauth="' },
  { description: "covers a body that was not asked for", infoWith: () => 'rspauth="0000", qop=auth-int' },
];

test.for(RIGHT)("accepts a response whose rspauth $description", async ({ infoWith }) => {
  expect(await read(prove(infoWith))).toBe(200);
});

test("takes the rspauth of RFC 2069", async () => {
  const respond = prove((rspauth) => `rspauth="${rspauth}"`);
  expect(await read(respond, 'Digest realm="r", nonce="n"')).toBe(200);
});

const WRONG = [
  { description: "is wrong", info: 'rspauth="00000000000000000000000000000000"' },
  { description: "is empty", info: 'rspauth=""' },
  { description: "is wrong beside a next nonce", info: 'nextnonce="n2", qop=auth, rspauth="0"' },
];

test.for(WRONG)("refuses a response whose rspauth $description", async ({ info }) => {
  await expect(read(prove(() => info))).rejects.toMatchObject({
    name: "DigestError",
    code: "ERR_DIGEST_SERVER_NOT_VERIFIED",
  });
});

test("shows a wrong rspauth in a short and printable form", async () => {
  const failure = await read(prove(() => `rspauth="\u009b2J${"x".repeat(5000)}"`)).catch((error: unknown) => error);
  expect(failure instanceof Error && failure.message).toMatch(/^[\x20-\x7e\u2026\ufffd]{20,300}$/);
});

test("asks for a nonce again after a wrong rspauth", async () => {
  const server = await startScriptedServer(
    refuse(CHALLENGE),
    prove(() => 'rspauth="0"'),
    refuse(CHALLENGE),
    prove((rspauth) => `rspauth="${rspauth}"`),
  );
  const agent = openDigestAgent(server);
  await readStatus(agent, server.origin).catch(() => {});
  expect(await readStatus(agent, server.origin)).toBe(200);
});

test("never shows the password where rspauth is wrong", async () => {
  const failure = await read(prove(() => 'rspauth="0"')).catch((error: unknown) => error);
  expect(failure instanceof Error && `${failure.message}${failure.stack}`).not.toContain(PASSWORD);
});
