import fc from "fast-check";
import { expect, test } from "vitest";
import {
  chooseDigestChallenge,
  type DigestChallenge,
  RequestSigner,
  UnusableChallenge,
} from "../../sdk/digest/digest-scheme.ts";
import { readAuthorization } from "./read-authorization.ts";

/** Every run takes other values, and fast-check prints the seed of a failure. `FUZZ_RUNS` sets how many. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1000);

/** The text of a quoted string in a header, in which the tab is the only control character (RFC 9110, section 5.5). */
const quotedText = fc.oneof(fc.stringMatching(/^[\t -~\xa0-\xff]{0,40}$/), fc.stringMatching(/^["\\,= ]{0,9}$/));
/** What WHATWG's URL makes of any path: quotes are encoded, and a backslash is a slash. */
const target = fc.webUrl({ withQueryParameters: true }).map((url) => new URL(url).pathname + new URL(url).search);
const visibleText = fc.stringMatching(/^[!-~]{1,20}$/);

function signed(challenge: DigestChallenge, username: string, uri: string): string {
  return new RequestSigner(challenge, { username, password: "p" }, "c").sign(1, "GET", uri);
}

function inQuotes(text: string): string {
  return `"${text.replace(/[\\"]/g, (character) => `\\${character}`)}"`;
}

test("credentials are a header that can be sent, and hold what went into them", () => {
  const parts = { realm: quotedText, nonce: quotedText, opaque: quotedText, username: visibleText, uri: target };
  fc.assert(
    fc.property(fc.record(parts), ({ realm, nonce, opaque, username, uri }) => {
      const line = `Digest realm=${inQuotes(realm)}, nonce=${inQuotes(nonce)}, opaque=${inQuotes(opaque)}, qop="auth"`;
      const credentials = signed(chooseDigestChallenge(line), username, uri);
      expect(credentials).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      expect(readAuthorization(credentials)).toMatchObject({ realm, nonce, opaque, uri, username, nc: "00000001" });
    }),
    { numRuns: RUNS },
  );
});

const PARTS = [
  ...["Digest ", "digest ", "Negotiate YII=", "Basic ", 'realm="r"', 'realm="a \\"b\\", c=d"', 'nonce="n1"'],
  ...["nonce = n2==", "algorithm=SHA-256-sess", "algorithm=sha-512-256", "algorithm=MD5", 'qop="auth,auth-int"'],
  ...['op="auth"', "stale=true", '"', "\\", ",", "=", " ", "\r\n", "\0", "\xff", "-sess"],
];
const part = fc.constantFrom(...PARTS);
const separator = fc.oneof({ weight: 9, arbitrary: fc.constant(", ") }, fc.constantFrom("", " ", " ,,"));
const mixed = fc
  .array(fc.tuple(part, separator), { maxLength: 9 })
  .map((parts) => `Digest nonce="n0", qop=auth, ${parts.flat().join("")}`);

function chooseOrFail(line: string): DigestChallenge | UnusableChallenge {
  try {
    return chooseDigestChallenge(line);
  } catch (error) {
    if (error instanceof UnusableChallenge) return error;
    throw error;
  }
}

const HASH_NAMES = { MD5: "md5", "SHA-256": "sha256", "SHA-512-256": "sha512-256" };

test("challenges of any parts are refused, or read right and their credentials can be read", () => {
  fc.assert(
    fc.property(mixed, (line) => {
      const read = chooseOrFail(line);
      if (read instanceof UnusableChallenge) return;
      const name = (read.algorithm ?? "MD5").toUpperCase().replace(/-SESS$/, "");
      // No part has a nonce with quoted pairs, and without quotes a backslash stands for itself.
      expect(line).toContain(read.nonce);
      expect(Object.entries(HASH_NAMES)).toContainEqual([name, read.hash]);
      const credentials = signed(read, "u", "/");
      expect(readAuthorization(credentials)).toMatchObject({ nonce: read.nonce, realm: read.realm });
    }),
    { numRuns: RUNS },
  );
});
