import { expect, test } from "vitest";
import {
  chooseDigestChallenge,
  type DigestChallenge,
  parseChallenges,
  UnusableChallenge,
} from "../../sdk/digest/digest-scheme.ts";

const EVERYTHING =
  'Digest realm="r", domain="/a /b", nonce="n", opaque="o", stale=true, algorithm=SHA-256, qop="auth,auth-int", charset=UTF-8, userhash=true';
const EVERY_PARAMETER: Partial<DigestChallenge> = {
  realm: "r",
  nonce: "n",
  opaque: "o",
  algorithm: "SHA-256",
  qop: "auth",
  stale: true,
};
const NO_PARAMETER: Partial<DigestChallenge> = {
  realm: "",
  nonce: "n",
  opaque: undefined,
  algorithm: undefined,
  qop: undefined,
  stale: false,
};

test.for<readonly [string, string | readonly string[], Partial<DigestChallenge>]>([
  ["every parameter of RFC 7616", EVERYTHING, { ...EVERY_PARAMETER, hash: "sha256", session: false }],
  ["a nonce alone", 'Digest nonce="n"', { ...NO_PARAMETER, hash: "md5", session: false }],
  ["scheme and names in any case", 'dIGEST NONCE="n", Realm="R"', { nonce: "n", realm: "R" }],
  ["a tab behind the scheme", 'Digest\tnonce="n"', { nonce: "n" }],
  ["white space round =", 'Digest nonce = "n" ,realm\t=\t"r"', { nonce: "n", realm: "r" }],
  ["no space behind commas", 'Digest realm="r",nonce="n",qop="auth"', { nonce: "n", qop: "auth" }],
  ["empty list elements", ', ,Digest ,, realm="r", ,nonce="n",,', { realm: "r", nonce: "n" }],
  ["parameters in reverse", 'Digest qop="auth", algorithm=MD5, nonce="n", realm="r"', { realm: "r", nonce: "n" }],
  ["unknown parameters", 'Digest x="1", nonce="n", y=2, z-1="a=b, c"', { nonce: "n" }],
  ["the last of a parameter that comes twice", 'Digest nonce="a", nonce="b"', { nonce: "b" }],
  ["quoted pairs", 'Digest realm="a \\"b\\" \\\\ \\c", nonce="n"', { realm: 'a "b" \\ c' }],
  ["commas in a string", 'Digest realm="x, Digest nonce=\\"m\\", qop=none", nonce="n"', { nonce: "n", qop: undefined }],
  ["a nonce without quotes", "Digest nonce=AbC/+==, qop=auth", { nonce: "AbC/+==", qop: "auth" }],
  ["an empty realm", 'Digest realm="", nonce="n"', { realm: "" }],
  ["an empty nonce", 'Digest realm="r", nonce=""', { nonce: "" }],
  [
    "empty values without quotes",
    'Digest realm=, qop="auth", opaque= ,nonce="n"',
    { realm: "", nonce: "n", qop: "auth" },
  ],
  ["an empty nonce without quotes", "Digest nonce=", { nonce: "" }],
  [
    "a word alone before the parameters",
    'Digest stale, realm="r", nonce="n"',
    { realm: "r", nonce: "n", stale: false },
  ],
  ["one among them", 'Digest realm="r", stale , nonce="n"', { realm: "r", nonce: "n", stale: false }],
  ["a challenge before bare schemes", 'Digest realm="r", nonce="n", Negotiate, NTLM', { realm: "r", nonce: "n" }],
  [
    "the strongest after a bare scheme",
    'Digest nonce="m", NTLM, Digest nonce="s", algorithm=SHA-256',
    { nonce: "s", hash: "sha256" },
  ],
  [
    "a challenge after a bare scheme with a parameter",
    'Bearer, realm="b", Digest nonce="n"',
    { nonce: "n", realm: "" },
  ],
  ["op in the place of qop", 'Digest nonce="n", op="auth"', { qop: "auth" }],
  ["qop before op", 'Digest nonce="n", op="auth-int", qop="auth"', { qop: "auth" }],
  ["auth of several qops", 'Digest nonce="n", qop=" auth-int , AUTH "', { qop: "auth" }],
  ["an empty qop as none", 'Digest nonce="n", qop=""', { qop: undefined }],
  ["stale in any case", 'Digest nonce="n", stale="TRUE"', { stale: true }],
  ["any other stale as false", 'Digest nonce="n", stale=yes', { stale: false }],
  ["algorithm in any case", 'Digest nonce="n", algorithm="sha-512-256"', { hash: "sha512-256" }],
  ["a session algorithm", 'Digest nonce="n", algorithm=MD5-SESS, qop="auth"', { hash: "md5", session: true }],
  ["a challenge behind a token68", 'Negotiate abc==, Digest nonce="n"', { nonce: "n" }],
  ["a challenge behind a bare scheme", 'Negotiate, Digest nonce="n"', { nonce: "n" }],
  ["a challenge between others", 'Basic realm="b", Digest nonce="n", Bearer realm="t"', { nonce: "n", realm: "" }],
  ["a challenge in a later line", ['Basic realm="b"', "NTLM", 'Digest nonce="n"'], { nonce: "n" }],
  ["the strongest of one line", 'Digest nonce="m", algorithm=MD5, Digest nonce="s", algorithm=SHA-256', { nonce: "s" }],
  [
    "the strongest of several lines",
    ['Digest nonce="m"', 'Digest nonce="s", algorithm=SHA-256', 'Digest nonce="t", algorithm=SHA-512-256'],
    { nonce: "t", hash: "sha512-256" },
  ],
  ["the first of equally strong ones", ['Digest nonce="a"', 'Digest nonce="b", algorithm=MD5'], { nonce: "a" }],
  ["the one with a known algorithm", ['Digest nonce="x", algorithm=SHA3-512', 'Digest nonce="m"'], { nonce: "m" }],
  ["the one with auth", ['Digest nonce="i", algorithm=SHA-256, qop="auth-int"', 'Digest nonce="a"'], { nonce: "a" }],
  ["what comes before a malformed part", 'Digest nonce="n", Basic realm="unclosed', { nonce: "n" }],
  [
    "the strongest before a malformed part",
    'Digest nonce="m", Digest nonce="s", algorithm=SHA-256, Digest nonce="x" qop="auth", algorithm=SHA-512-256',
    { nonce: "s" },
  ],
  ["another line than a malformed one", ['Digest "', 'Digest nonce="n"'], { nonce: "n" }],
])("reads %s", ([, lines, expected]) => {
  expect(chooseDigestChallenge(lines)).toMatchObject(expected);
});

const TWO = 'Digest nonce="n" qop="auth", Digest nonce="m"';

test.for<readonly [string, string | readonly string[], string]>([
  ["auth-int alone", 'Digest nonce="n", qop="auth-int"', 'qop="auth-int"'],
  ["an unknown algorithm", 'Digest nonce="n", algorithm=SHA-1', "algorithm=SHA-1"],
  ["a session algorithm without qop", 'Digest nonce="n", algorithm=MD5-sess', "algorithm=MD5-sess"],
  ["one with an empty qop", 'Digest nonce="n", algorithm=SHA-256-sess, qop=""', "algorithm=SHA-256-sess"],
  ["an algorithm that is only a suffix", 'Digest nonce="n", algorithm=-sess', "algorithm=-sess"],
  ["an empty algorithm", 'Digest nonce="n", algorithm=""', "algorithm="],
  ["no nonce", 'Digest realm="r"', "no nonce"],
  ["Digest without parameters", "Digest", "no nonce"],
  ["Basic alone", 'Basic realm="r"', "basic"],
  ["other schemes alone", ["Negotiate abc==", "NTLM"], "negotiate, ntlm"],
  ["other schemes alone in one line", "Negotiate, NTLM", "negotiate, ntlm"],
  ["an empty header", "", "nothing"],
  ["an unclosed quote", 'Digest realm="r, nonce=n', 'Digest realm="r, nonce=n'],
  ["an escape at the end", 'Digest nonce="n\\', 'Digest nonce="n\\'],
  ["text behind a string", 'Digest nonce="n"x', 'Digest nonce="n"x'],
  ["parameters without commas", 'Digest nonce="n" qop="auth"', 'Digest nonce="n" qop'],
  ["a parameter behind a token68", 'Negotiate abc==, nonce="n"', `from 'nonce="n"' on`],
  ["a parameter without a scheme", 'nonce="n"', 'nonce="n"'],
  ["a valid challenge behind a malformed one, whose end nothing tells", TWO, TWO],
  ["a quote in the place of a scheme", '"Digest" nonce="n"', '"Digest"'],
])("%s is one error that quotes the part", ([, lines, quoted]) => {
  expect(messageFor(lines)).toContain(quoted);
});

function messageFor(lines: string | readonly string[]): string {
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

test("reads several challenges of one line apart", () => {
  const { challenges } = parseChallenges('Negotiate YII=, Newauth realm="apps", type=1, Basic realm="simple"');
  expect(challenges).toEqual([
    { scheme: "negotiate", parameters: new Map() },
    { scheme: "newauth", parameters: new Map(Object.entries({ realm: "apps", type: "1" })) },
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
