/**
 * Credentials that other implementations sent, each with the cnonce that it used and nc=00000001.
 *
 * - `curl`: `curl --digest -u <username>:<password> -X <method> -g --path-as-is <url>`, version 7.88.1, against a server
 *   that sent the challenge as UTF-8 and kept the `Authorization` header. Its SHA-512-256 is another hash, so it is not used.
 * - `openssl`: `printf %s <text> | openssl dgst -md5` or `-sha512-256`, version 3.0.19, for each step of RFC 7616, section 3.4.1.
 * - `RFC`: printed in the RFC.
 */
export interface RecordedCredentials {
  readonly description: string;
  readonly challenge: string;
  readonly username: string;
  readonly password: string;
  readonly method: string;
  readonly uri: string;
  readonly cnonce: string;
  /** The user as sent: `username`, or `username*` in its encoded form. */
  readonly sentUsername?: Readonly<Record<string, string>>;
  readonly response: string;
  /** How often the server refuses credentials in UTF-8 before these. Default: 0. */
  readonly refusals?: number;
}

const NONCE = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
const LION = { username: "Mufasa", password: "Circle of Life", method: "GET", uri: "/dir/index.html" };
const KEY = { username: "publickey", password: "private-key-0001", method: "GET", uri: "/dir/index.html" };

const RFC_2069_CHALLENGE =
  'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
const RFC_7616_CHALLENGE =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
const RFC_7616_UTF8_CHALLENGE =
  'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8';
const JASON = {
  username: "Jäsøn Doe",
  password: "Secret, or not?",
  method: "GET",
  uri: "/doe.json",
  cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
};

export const RECORDED_CREDENTIALS: readonly RecordedCredentials[] = [
  {
    // The RFC prints e966c932a9242554e42c8ee200cec7f6, which its own rules do not give; this is what openssl gives for them.
    description: "RFC 2069, section 2.4, corrected",
    challenge: RFC_2069_CHALLENGE,
    ...LION,
    password: "CircleOfLife",
    cnonce: "",
    response: "1949323746fe6a43ef61f9606e7febea",
  },
  {
    description: "RFC 2617, section 3.5",
    challenge: `${RFC_2069_CHALLENGE}, qop="auth,auth-int"`,
    ...LION,
    password: "Circle Of Life",
    cnonce: "0a4f113b",
    response: "6629fae49393a05397450978507c4ef1",
  },
  {
    description: "RFC 7616, section 3.9.1, MD5",
    challenge: `${RFC_7616_CHALLENGE}, algorithm=MD5`,
    ...LION,
    cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    response: "8ca523f5e9506fed4657c9700eebdbec",
  },
  {
    description: "RFC 7616, section 3.9.1, SHA-256",
    challenge: `${RFC_7616_CHALLENGE}, algorithm=SHA-256`,
    ...LION,
    cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
  },
  {
    // The RFC prints 488869477bf2... and ae66e67d6b42..., known errata: they are of another hash than SHA-512/256. These are
    // what openssl and Python's hashlib give.
    description: "RFC 7616, section 3.9.2, SHA-512-256 with userhash, corrected",
    challenge: `${RFC_7616_UTF8_CHALLENGE}, userhash=true`,
    ...JASON,
    sentUsername: { username: "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", userhash: "true" },
    response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
  },
  {
    description: "RFC 7616, section 3.9.2, without userhash",
    challenge: RFC_7616_UTF8_CHALLENGE,
    ...JASON,
    sentUsername: { "username*": "UTF-8''J%C3%A4s%C3%B8n%20Doe" },
    response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
  },
  {
    description: "curl, no qop",
    challenge: 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
    ...LION,
    password: "Circle Of Life",
    cnonce: "",
    response: "670fd8c2df070c60b045671b8b24ff02",
  },
  {
    description: "curl, no algorithm",
    challenge: `Digest realm="r", qop="auth", nonce="${NONCE}"`,
    ...LION,
    cnonce: "Njc0ODAwZGZmNTk2ZTJjNDExODE0MWNiOWZhMGNhZWE=",
    response: "bb3d6a23a7f75994b892c16c14a89b05",
  },
  {
    description: "curl, MD5, POST, with a query",
    challenge: `Digest realm="r", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...LION,
    method: "POST",
    uri: "/a/b?x=1&y=%20",
    cnonce: "YmZkNDhhOWU3N2RmYjFkOWE2NzNiMjMzMGIwMmYwMTM=",
    response: "7dbfee5e04da0b642612d47e199484dc",
  },
  {
    description: "curl, MD5-sess",
    challenge: `Digest realm="r", qop="auth", algorithm=MD5-sess, nonce="${NONCE}"`,
    ...LION,
    cnonce: "ODUxMDZhMzNmOGJhMDFhMTIwOGE1ZjljZmQ1MGI5YTk=",
    response: "8b7f92f5f10038b59e2b2c962d0e24c4",
  },
  {
    description: "curl, SHA-256, PUT",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-256, nonce="${NONCE}"`,
    ...LION,
    method: "PUT",
    cnonce: "ZTcxYTZiMWFlMjg5NDllMjVmNWNjYzdjNjA4YTVjM2I=",
    response: "647d8a2cb84e2abe87d7d8e6b872d96099de21462d6676d78fc3c0f5c6ffcf3f",
  },
  {
    description: "curl, SHA-256-sess",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-256-sess, nonce="${NONCE}"`,
    ...LION,
    cnonce: "NTU3YzZjODZkNWYxYzNlMDhmZDhhNzRmN2MyNGY3YTk=",
    response: "73878637e9808c0bbe182796275a7ed7476e6e4fcd53faaa8b848881e1515d21",
  },
  {
    description: "curl, SHA-256 with userhash",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-256, userhash=true, nonce="${NONCE}"`,
    ...LION,
    cnonce: "MjQ1MzIyNDdiMTQ0ZGQ1MmFkZDAwZDQ2ODAzODY5OTU=",
    sentUsername: { username: "8ec3e1d647d8bd2ae7115a19b5155727c083dd356e9e6fa526b1188461f18acf", userhash: "true" },
    response: "d722b3271acd54fd2927e4d75b82e9872abc50f46b5bca33aecf9a8870ea01c4",
  },
  {
    description: "openssl, SHA-512-256",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-512-256, nonce="${NONCE}"`,
    ...LION,
    cnonce: "0123456789abcdef",
    response: "8ccd3b59aef7dca2f04c767b9fe5e40f00ea08c6d91c9c7e2c096130c4fa084a",
  },
  {
    description: "openssl, SHA-512-256-sess",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-512-256-sess, nonce="${NONCE}"`,
    ...LION,
    cnonce: "0123456789abcdef",
    response: "d18084f7e76b5f4490512efee0245ad312d33a411c28e0de91b2f44832d26ea6",
  },
  {
    description: "curl in ISO-8859-1, umlauts without charset",
    challenge: `Digest realm="r", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...LION,
    username: "Jürgen",
    password: "Paßwörtchen",
    cnonce: "MjJiYzgzMzYxOGQyZDVlMzM1ZWNiMzJjZDg5NjI5OGY=",
    sentUsername: { username: "J\xfcrgen" },
    refusals: 1,
    response: "1ab41cb679f6a547cc15700982a939d0",
  },
  {
    // The same credentials as with charset=UTF-8, of which only the name of the user is sent in another form.
    description: "curl in UTF-8, umlauts without charset",
    challenge: `Digest realm="r", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...LION,
    username: "Jürgen",
    password: "Paßwörtchen",
    cnonce: "MDg2MzlmMDkyMjI0NThhNzIwZjFkNmE5M2E4ZDI2NWM=",
    sentUsername: { username: "J\xc3\xbcrgen" },
    response: "9bb7979cf28e4f1ad180db3a39dff04f",
  },
  {
    description: "curl in UTF-8, umlauts with charset=UTF-8",
    challenge: `Digest realm="r", qop="auth", algorithm=MD5, charset=UTF-8, nonce="${NONCE}"`,
    ...LION,
    username: "Jürgen",
    password: "Paßwörtchen",
    cnonce: "MDg2MzlmMDkyMjI0NThhNzIwZjFkNmE5M2E4ZDI2NWM=",
    sentUsername: { "username*": "UTF-8''J%C3%BCrgen" },
    response: "9bb7979cf28e4f1ad180db3a39dff04f",
  },
  {
    description: "curl in UTF-8, letters that ISO-8859-1 lacks, without charset",
    challenge: `Digest realm="r", qop="auth", algorithm=SHA-256, nonce="${NONCE}"`,
    ...LION,
    username: "Łukasz",
    password: "hasło",
    cnonce: "YmNjMDY5NzY0YjE5MmY1ZTg5MTdjYmQ5MTE4OGI2NDE=",
    sentUsername: { username: "\xc5\x81ukasz" },
    response: "da5d161d41e191053765fc3298e120cd37808692f17e74199be00dfffbcae995",
  },
  {
    description: "curl, quotes and backslashes in user, password and realm",
    challenge: `Digest realm="the \\"inner\\" \\\\ realm", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...LION,
    username: 'quo"te\\d',
    password: 'pass"\\word',
    cnonce: "ODYyYWZlMGUwNDRiYTlkZjExODlmMWEyMTI0YWU5NWQ=",
    sentUsername: { username: 'quo"te\\d' },
    response: "c05b6382ceb13053d38a18fac3b34014",
  },
  {
    description: "curl, commas and pairs in the realm",
    challenge: `Digest realm="Ops, Manager qop=none, nonce=x", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...KEY,
    cnonce: "ZmViNWQ4MmM1ZWVlZDczZWUzNDQ3ZTI1NWI4ODllM2I=",
    response: "975a793ea7fd5cf7b4e88caccf73de16",
  },
  {
    description: "curl, a realm in UTF-8",
    challenge: `Digest realm="R\xc3\xa4ume", qop="auth", algorithm=MD5, nonce="${NONCE}"`,
    ...KEY,
    cnonce: "ODg0YjM4NmQyODA5MmM3ZmE4NWMxODRhNWRjMzRmNWY=",
    response: "4e0eb8a1321cb21357f65a5c5265fe51",
  },
  {
    description: "openssl, a nonce with a byte beyond ASCII",
    challenge: 'Digest realm="r", qop="auth", nonce="n\xe9"',
    ...KEY,
    cnonce: "abc",
    response: "0dffcaedf4cca21bf7b885222ef9b292",
  },
];
