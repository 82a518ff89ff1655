import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseDigestChallenge, type DigestChallenge, UnusableChallenge } from "../../sdk/digest/digest-challenge.ts";
import { signRequest } from "../../sdk/digest/sign-request.ts";
import { readAuthorization } from "./read-authorization.ts";

/** Every run takes other values, and fast-check prints the seed of a failure. `FUZZ_RUNS` sets how many. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1000);

/** The text of a quoted string in a header, in which the tab is the only control character (RFC 9110, section 5.5). */
const quotedText = fc.string({ unit: fc.constantFrom(...headerCharacters()), maxLength: 40 });
const userText = fc
  .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 })
  .filter((text) => !/\p{Cc}/u.test(text));

function headerCharacters(): readonly string[] {
  const codes = Array.from({ length: 256 }, (_, code) => code);
  const printable = codes.filter((code) => code === 9 || (code >= 32 && code < 127) || code >= 160);
  // The characters that can break a string are added twice, so that they come often.
  return [...printable.map((code) => String.fromCharCode(code)), ...'"\\,= "\\,= '];
}

function signed(challenge: DigestChallenge, username: string, uri: string): string {
  return signRequest({ challenge, credentials: { username, password: "p" }, cnonce: "c", count: 1 }, "GET", uri);
}

function inQuotes(text: string): string {
  return `"${text.replace(/[\\"]/g, (character) => `\\${character}`)}"`;
}

test("credentials are a header that can be sent, and hold what went into them", () => {
  const parts = fc.record({
    realm: quotedText,
    nonce: quotedText,
    opaque: quotedText,
    username: userText,
    path: fc.webPath(),
    query: fc.webQueryParameters(),
  });
  fc.assert(
    fc.property(parts, ({ realm, nonce, opaque, username, path, query }) => {
      const line = `Digest realm=${inQuotes(realm)}, nonce=${inQuotes(nonce)}, opaque=${inQuotes(opaque)}, qop="auth"`;
      const uri = `/${path}?${query}"`;
      const credentials = signed(chooseDigestChallenge(line), username, uri);
      expect(credentials).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      expect(readAuthorization(credentials)).toMatchObject({ realm, nonce, opaque, uri, username, nc: "00000001" });
    }),
    { numRuns: RUNS },
  );
});

const VALID = [
  'Digest realm="r", nonce="dcd98b7102dd2f0e", opaque="5ccc069c", qop="auth,auth-int", algorithm=MD5',
  'Digest realm="a \\"b\\", c=d", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcC==", stale=true, charset=UTF-8',
  'Negotiate YII=, Digest nonce="n1", algorithm=SHA-256-sess, Basic realm="b", Digest nonce="n2", algorithm=SHA-512-256',
  'digest nonce = unquoted , op="auth" ,, realm=""',
];

type Mutation = (text: string, at: number, length: number, inserted: string) => string;
const MUTATIONS: readonly Mutation[] = [
  (text, at, length) => text.slice(0, at) + text.slice(at + length),
  (text, at, _length, inserted) => text.slice(0, at) + inserted + text.slice(at),
  (text, at, length) =>
    text.slice(0, at) +
    text.slice(at + length, at + 2 * length) +
    text.slice(at, at + length) +
    text.slice(at + 2 * length),
  (text, at, length) => text.slice(0, at + length) + text.slice(at),
  (text, at) => text.slice(0, at),
];

const anyByte = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 4,
});
const mutation = fc.record({
  mutate: fc.constantFrom(...MUTATIONS),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 12 }),
  inserted: fc.oneof(anyByte, fc.constantFrom('"', "\\", ",", "=", " ", "\r\n", "\0", "Digest ", 'nonce="x"', "-sess")),
});
const mutated = fc
  .tuple(fc.constantFrom(...VALID), fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([valid, mutations]) =>
    mutations.reduce((text, { mutate, place, length, inserted }) => {
      return mutate(text, Math.floor(place * text.length), length, inserted);
    }, valid),
  );

function chooseOrFail(line: string): DigestChallenge | UnusableChallenge {
  try {
    return chooseDigestChallenge(line);
  } catch (error) {
    if (error instanceof UnusableChallenge) return error;
    throw error;
  }
}

const HASH_NAMES = { MD5: "md5", "SHA-256": "sha256", "SHA-512-256": "sha512-256" };

test("a mutated challenge is refused, or read right and its credentials can be read", () => {
  fc.assert(
    fc.property(mutated, (line) => {
      const read = chooseOrFail(line);
      if (read instanceof UnusableChallenge) return;
      const name = (read.algorithm ?? "MD5").toUpperCase().replace(/-SESS$/, "");
      // A nonce with quoted pairs is in the text in its escaped spelling.
      expect(line.replace(/\\(.)/gs, "$1")).toContain(read.nonce.replace(/\\(.)/gs, "$1"));
      expect(Object.entries(HASH_NAMES)).toContainEqual([name, read.hash]);
      const credentials = signed(read, "u", "/");
      expect(readAuthorization(credentials)).toMatchObject({ nonce: read.nonce, realm: read.realm });
    }),
    { numRuns: RUNS },
  );
});
