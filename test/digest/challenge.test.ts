import { expect, test } from "vitest";
import { parseChallenges } from "../../sdk/digest/challenge.ts";
import { chooseDigestChallenge, UnusableChallenge } from "../../sdk/digest/digest-challenge.ts";

const CHOSEN = [
  {
    description: "every parameter of RFC 7616",
    input: [
      'Digest realm="r", domain="/a /b", nonce="n", opaque="o", stale=true, algorithm=SHA-256, qop="auth,auth-int", charset=UTF-8, userhash=true',
    ],
    expected: {
      realm: "r",
      nonce: "n",
      opaque: "o",
      algorithm: "SHA-256",
      hash: "sha256",
      session: false,
      qop: "auth",
      stale: true,
    },
  },
  {
    description: "a nonce alone",
    input: ['Digest nonce="n"'],
    expected: {
      realm: "",
      nonce: "n",
      opaque: undefined,
      algorithm: undefined,
      hash: "md5",
      session: false,
      qop: undefined,
      stale: false,
    },
  },
  {
    description: "scheme and names in any case",
    input: ['dIGEST NONCE="n", Realm="R"'],
    expected: { nonce: "n", realm: "R" },
  },
  { description: "a tab behind the scheme", input: ['Digest\tnonce="n"'], expected: { nonce: "n" } },
  {
    description: "white space round =",
    input: ['Digest nonce = "n" ,realm\t=\t"r"'],
    expected: { nonce: "n", realm: "r" },
  },
  {
    description: "no space behind commas",
    input: ['Digest realm="r",nonce="n",qop="auth"'],
    expected: { nonce: "n", qop: "auth" },
  },
  {
    description: "empty list elements",
    input: [', ,Digest ,, realm="r", ,nonce="n",,'],
    expected: { realm: "r", nonce: "n" },
  },
  {
    description: "parameters in reverse",
    input: ['Digest qop="auth", algorithm=MD5, nonce="n", realm="r"'],
    expected: { realm: "r", nonce: "n" },
  },
  {
    description: "unknown parameters",
    input: ['Digest x="1", nonce="n", y=2, z-1="a=b, c"'],
    expected: { nonce: "n" },
  },
  {
    description: "the last of a parameter that comes twice",
    input: ['Digest nonce="a", nonce="b"'],
    expected: { nonce: "b" },
  },
  {
    description: "quoted pairs",
    input: ['Digest realm="a \\"b\\" \\\\ \\c", nonce="n"'],
    expected: { realm: 'a "b" \\ c' },
  },
  {
    description: "commas and pairs inside a string",
    input: ['Digest realm="x, Digest nonce=\\"fake\\", qop=none", nonce="n"'],
    expected: { nonce: "n", qop: undefined },
  },
  {
    description: "a nonce without quotes",
    input: ["Digest nonce=AbC/+==, qop=auth"],
    expected: { nonce: "AbC/+==", qop: "auth" },
  },
  { description: "an empty realm", input: ['Digest realm="", nonce="n"'], expected: { realm: "" } },
  { description: "an empty nonce", input: ['Digest realm="r", nonce=""'], expected: { nonce: "" } },
  { description: "op in the place of qop", input: ['Digest nonce="n", op="auth"'], expected: { qop: "auth" } },
  { description: "qop before op", input: ['Digest nonce="n", op="auth-int", qop="auth"'], expected: { qop: "auth" } },
  {
    description: "auth of several qops",
    input: ['Digest nonce="n", qop=" auth-int , AUTH "'],
    expected: { qop: "auth" },
  },
  { description: "an empty qop as none", input: ['Digest nonce="n", qop=""'], expected: { qop: undefined } },
  { description: "stale in any case", input: ['Digest nonce="n", stale="TRUE"'], expected: { stale: true } },
  { description: "any other stale as false", input: ['Digest nonce="n", stale=yes'], expected: { stale: false } },
  {
    description: "algorithm in any case",
    input: ['Digest nonce="n", algorithm="sha-512-256"'],
    expected: { hash: "sha512-256" },
  },
  {
    description: "a session algorithm",
    input: ['Digest nonce="n", algorithm=MD5-SESS, qop="auth"'],
    expected: { hash: "md5", session: true },
  },
  {
    description: "a challenge behind a token68",
    input: ['Negotiate abc==, Digest nonce="n"'],
    expected: { nonce: "n" },
  },
  { description: "a challenge behind a bare scheme", input: ['Negotiate, Digest nonce="n"'], expected: { nonce: "n" } },
  {
    description: "a challenge between others",
    input: ['Basic realm="b", Digest nonce="n", Bearer realm="t"'],
    expected: { nonce: "n", realm: "" },
  },
  {
    description: "a challenge in a later line",
    input: ['Basic realm="b"', "NTLM", 'Digest nonce="n"'],
    expected: { nonce: "n" },
  },
  {
    description: "the strongest of one line",
    input: ['Digest nonce="m", algorithm=MD5, Digest nonce="s", algorithm=SHA-256'],
    expected: { nonce: "s", hash: "sha256" },
  },
  {
    description: "the strongest of several lines",
    input: ['Digest nonce="m"', 'Digest nonce="s", algorithm=SHA-256', 'Digest nonce="t", algorithm=SHA-512-256'],
    expected: { nonce: "t", hash: "sha512-256" },
  },
  {
    description: "the first of equally strong ones",
    input: ['Digest nonce="a", algorithm=MD5', 'Digest nonce="b", algorithm=MD5'],
    expected: { nonce: "a" },
  },
  {
    description: "the one with a known algorithm",
    input: ['Digest nonce="x", algorithm=SHA3-512', 'Digest nonce="m", algorithm=MD5'],
    expected: { nonce: "m" },
  },
  {
    description: "the one with auth",
    input: ['Digest nonce="i", algorithm=SHA-256, qop="auth-int"', 'Digest nonce="a", qop="auth"'],
    expected: { nonce: "a" },
  },
  {
    description: "what comes before a malformed part",
    input: ['Digest nonce="n", Basic realm="unclosed'],
    expected: { nonce: "n" },
  },
  {
    description: "the strongest before a malformed part",
    input: [
      'Digest nonce="m", Digest nonce="s", algorithm=SHA-256, Digest nonce="x" qop="auth", algorithm=SHA-512-256',
    ],
    expected: { nonce: "s" },
  },
  {
    description: "another line than a malformed one",
    input: ['Digest "', 'Digest nonce="n"'],
    expected: { nonce: "n" },
  },
];

test.for(CHOSEN)("reads $description", ({ input, expected }) => {
  expect(chooseDigestChallenge(input)).toMatchObject(expected);
});

const REFUSED = [
  { description: "auth-int alone", input: ['Digest nonce="n", qop="auth-int"'], quoted: 'qop="auth-int"' },
  { description: "an unknown algorithm", input: ['Digest nonce="n", algorithm=SHA-1'], quoted: "algorithm=SHA-1" },
  {
    description: "a session algorithm without qop",
    input: ['Digest nonce="n", algorithm=MD5-sess'],
    quoted: "algorithm=MD5-sess",
  },
  {
    description: "a session algorithm with an empty qop",
    input: ['Digest nonce="n", algorithm=SHA-256-sess, qop=""'],
    quoted: "algorithm=SHA-256-sess",
  },
  {
    description: "an algorithm that is only a suffix",
    input: ['Digest nonce="n", algorithm=-sess'],
    quoted: "algorithm=-sess",
  },
  { description: "an empty algorithm", input: ['Digest nonce="n", algorithm=""'], quoted: "algorithm=" },
  { description: "no nonce", input: ['Digest realm="r"'], quoted: "no nonce" },
  { description: "Digest without parameters", input: ["Digest"], quoted: "no nonce" },
  { description: "Basic alone", input: ['Basic realm="r"'], quoted: "basic" },
  { description: "other schemes alone", input: ["Negotiate abc==", "NTLM"], quoted: "negotiate, ntlm" },
  { description: "an empty header", input: [""], quoted: "nothing" },
  { description: "an unclosed quote", input: ['Digest realm="r, nonce=n'], quoted: 'Digest realm="r, nonce=n' },
  { description: "an escape at the end", input: ['Digest nonce="n\\'], quoted: 'Digest nonce="n\\' },
  { description: "text behind a string", input: ['Digest nonce="n"x'], quoted: 'Digest nonce="n"x' },
  {
    description: "parameters without commas",
    input: ['Digest nonce="n" qop="auth"'],
    quoted: 'Digest nonce="n" qop',
  },
  { description: "a parameter without a scheme", input: ['nonce="n"'], quoted: 'nonce="n"' },
  {
    description: "a valid challenge behind a malformed one, whose end nothing tells",
    input: ['Digest nonce="n" qop="auth", Digest nonce="m"'],
    quoted: 'Digest nonce="n" qop="auth", Digest nonce="m"',
  },
  { description: "a quote in the place of a scheme", input: ['"Digest" nonce="n"'], quoted: '"Digest"' },
];

test.for(REFUSED)("$description is one error that quotes the part", ({ input, quoted }) => {
  expect(messageFor(...input)).toContain(quoted);
});

function messageFor(...lines: readonly string[]): string {
  try {
    chooseDigestChallenge(lines);
  } catch (error) {
    if (error instanceof UnusableChallenge) return error.message;
    throw error;
  }
  return "";
}

test("a quoted part reads well when another sentence follows", () => {
  const part = 'Digest realm="a" nonce';
  expect(messageFor(part)).toBe(`The server's challenge is malformed from '${part}' on.`);
});

const FOREIGN_LINES = [
  { description: "a malformed part", line: (text: string) => `Digest nonce="${text}` },
  { description: "an algorithm", line: (text: string) => `Digest nonce="n", algorithm="${text}"` },
  { description: "a qop", line: (text: string) => `Digest nonce="n", qop="${text}"` },
];

test.for(FOREIGN_LINES)("$description is short and printable in a message", ({ line }) => {
  const message = messageFor(line(`\u001b[2J\u0085\u009b\u202e\u2028\u200f${"x".repeat(60_000)}`));
  expect(message).toMatch(/^[\x20-\x7e\u2026\ufffd]{20,300}$/);
});

test("reads several challenges of one line apart", () => {
  const { challenges } = parseChallenges('Negotiate YII=, Newauth realm="apps", type=1, Basic realm="simple"');
  expect(challenges).toEqual([
    { scheme: "negotiate", parameters: new Map() },
    {
      scheme: "newauth",
      parameters: new Map([
        ["realm", "apps"],
        ["type", "1"],
      ]),
    },
    { scheme: "basic", parameters: new Map([["realm", "simple"]]) },
  ]);
});

// Each part makes a careless regular expression try every way to split the text.
const HOSTILE = [
  '"',
  ",",
  " ",
  "\\",
  "a",
  "=",
  "a=",
  "a, ",
  '\\"',
  '"a',
  'a="',
  "a/",
  "Digest ",
  'a="b",',
  "\t=",
  "-sess",
];
const PREFIXES = ["Basic, ", "Digest ", 'Digest nonce="', 'Digest nonce="n", ', 'Digest nonce="n", algorithm='];

test.for(PREFIXES)("reads hostile headers of 64 KiB behind '%s'", (prefix) => {
  for (const part of HOSTILE) {
    expect(() => chooseDigestChallenge(prefix + part.repeat(65_536 / part.length))).not.toThrow(RangeError);
  }
});
