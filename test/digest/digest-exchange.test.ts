import { expect, test } from "vitest";
import { DigestExchange, type DigestSession } from "../../sdk/digest/digest-exchange.ts";
import { chooseDigestChallenge } from "../../sdk/digest/digest-scheme.ts";
import { newKey, openSession } from "./open-session.ts";
import { readAuthorization } from "./read-authorization.ts";

function challengeOf(parameters: string) {
  return chooseDigestChallenge(`Digest realm="r", qop="auth", ${parameters}`);
}

/** Signs a request, and returns the nonce and its count; "bare" if it goes without credentials. */
function sign(exchange: DigestExchange): string {
  const header = exchange.sign("GET", "/");
  if (header === undefined) return "bare";
  const { nonce, nc } = readAuthorization(header);
  return `${nonce} ${Number.parseInt(nc ?? "", 16)}`;
}

function begin(connection = openSession()): DigestExchange {
  const exchange = new DigestExchange(connection);
  sign(exchange);
  return exchange;
}

/** Refuses a request, which is signed anew. */
function refuse(exchange: DigestExchange, ...challenges: readonly string[]): DigestExchange {
  for (const challenge of challenges) {
    exchange.refused(challengeOf(challenge));
    sign(exchange);
  }
  return exchange;
}

/** A connection in which the server has accepted one request that was signed with the nonce "old". */
function openProven(key = newKey()): DigestSession {
  const connection = openSession(key);
  refuse(begin(connection), 'nonce="old"').answered(true);
  return connection;
}

const STALE = ["n1", "n2", "n3"].map((name) => `nonce="${name}", stale=true`);

/** The challenge with which a request is refused, what is sent next, and how the request is brought to that point. */
test.for<readonly [string, string, string, () => DigestExchange]>([
  ["a bare request", 'nonce="new"', "new 1", () => begin()],
  ["a fresh nonce", 'nonce="new"', "nothing", () => refuse(begin(), 'nonce="n"')],
  ["a fresh nonce, as stale", 'nonce="new", stale=true', "new 1", () => refuse(begin(), 'nonce="n"')],
  ["a kept nonce", 'nonce="new"', "new 1", () => begin(openProven())],
  ["a kept nonce, which comes again", 'nonce="old"', "old 3", () => begin(openProven())],
  ["a fresh nonce after a kept one", 'nonce="n3"', "n3 1", () => refuse(begin(openProven()), 'nonce="n2"')],
  [
    "a third fresh nonce after a kept one",
    'nonce="n5"',
    "nothing",
    () => refuse(begin(openProven()), 'nonce="n2"', 'nonce="n3"', 'nonce="n4"'),
  ],
  [
    "a kept nonce, after another connection was refused for good",
    'nonce="new"',
    "new 1",
    () => {
      const key = newKey();
      const connection = openProven(key);
      refuse(begin(openSession(key)), ...["n2", "n3", "n4", "n5"].map((name) => `nonce="${name}"`));
      return begin(connection);
    },
  ],
  ["a fourth nonce, as stale", 'nonce="n4", stale=true', "nothing", () => refuse(begin(), ...STALE)],
])("after the refusal of %s, with %s, %s is sent", ([, challenge, next, arrange]) => {
  const exchange = arrange();
  expect(exchange.refused(challengeOf(challenge)) === "sign" ? sign(exchange) : "nothing").toBe(next);
});

test("a refusal on one connection is not final where another one has shown that the key is right", () => {
  const key = newKey();
  openProven(key);
  expect(refuse(begin(openSession(key)), 'nonce="n1"').refused(challengeOf('nonce="n2"'))).toBe("sign");
});

test("a key that was refused for good counts as wrong from then on", () => {
  const connection = openProven();
  refuse(begin(connection), 'nonce="n2"', 'nonce="n3"', 'nonce="n4"').refused(challengeOf('nonce="n5"'));
  expect(refuse(begin(connection), 'nonce="n6"').refused(challengeOf('nonce="n7"'))).toBe("key");
});

test("an answer that does not prove the key leaves the next refusal final, and keeps the nonce", () => {
  const connection = openSession();
  refuse(begin(connection), 'nonce="old"').answered(false);
  const exchange = new DigestExchange(connection);
  expect(sign(exchange)).toBe("old 2");
  expect([exchange.refused(challengeOf('nonce="n1"')), sign(exchange)]).toEqual(["sign", "n1 1"]);
  expect(exchange.refused(challengeOf('nonce="n2"'))).toBe("key");
});

test("a key that was refused for good counts as right again once it is accepted", () => {
  const key = newKey();
  const [revoked, proven] = [openProven(key), openProven(key)];
  refuse(begin(revoked), 'nonce="n2"', 'nonce="n3"', 'nonce="n4"').refused(challengeOf('nonce="n5"'));
  begin(proven).answered(true);
  expect(refuse(begin(revoked), 'nonce="n6"').refused(challengeOf('nonce="n7"'))).toBe("sign");
});

test("a refused nonce is used by no other request", () => {
  const connection = openSession();
  refuse(begin(connection), 'nonce="n1"').refused(challengeOf('nonce="n2"'));
  expect(sign(new DigestExchange(connection))).toBe("bare");
});

test("a nonce that was refused is not used again, whatever became of the request", () => {
  const connection = openProven();
  begin(connection).refused(challengeOf('nonce="new", stale=true'));
  expect(sign(new DigestExchange(connection))).toBe("bare");
});

test("a connection does not know the nonce of another one", () => {
  const key = newKey();
  openProven(key);
  expect(sign(new DigestExchange(openSession(key)))).toBe("bare");
});

test("the count of a nonce goes on however often others come between", () => {
  const connection = openProven();
  for (const challenge of ['nonce="other"', 'nonce="old"']) refuse(begin(connection), challenge).answered(true);
  expect(sign(new DigestExchange(connection))).toBe("old 4");
});

test("the count of a nonce goes on on whichever connection the server sends it again", () => {
  const key = newKey();
  const first = openProven(key);
  const second = refuse(begin(openSession(key)));
  expect([second.refused(challengeOf('nonce="old"')), sign(second)]).toEqual(["sign", "old 2"]);
  second.answered(true);
  expect(sign(new DigestExchange(first))).toBe("old 3");
});

test.for([
  'Digest realm="other", nonce="old", qop="auth"',
  'Digest realm="r", nonce="old", qop="auth", opaque="o"',
  'Digest realm="r", nonce="old", qop="auth", algorithm=SHA-256',
])("a nonce with another realm, opaque or algorithm is another one: %s", (challenge) => {
  const exchange = begin(openProven());
  exchange.refused(chooseDigestChallenge(challenge));
  expect(sign(exchange)).toBe("old 1");
});

test("a nonce without qop is another one, and has no count", () => {
  const exchange = begin(openProven());
  exchange.refused(chooseDigestChallenge('Digest realm="r", nonce="old"'));
  expect(exchange.sign("GET", "/")).not.toContain("nc=");
});

test.for<readonly [string, string, "key" | "nonce"]>([
  ["stale nonces", 'nonce="n5", stale=true', "nonce"],
  ["other nonces", 'nonce="n5"', "key"],
])("when its repeats are used up, a request with %s is refused for what the server says last", ([, last, refused]) => {
  const exchange = begin();
  refuse(exchange, ...["n1", "n2", "n3", "n4"].map((name) => `nonce="${name}", stale=true`).slice(0, 3));
  expect(exchange.refused(challengeOf(last))).toBe(refused);
});

test("the first refusal after the connection was lost is not for the key, and the next one is", () => {
  const exchange = refuse(begin(), 'nonce="n1"');
  exchange.lostConnection();
  expect(exchange.refused(challengeOf('nonce="n2"'))).toBe("sign");
  sign(exchange);
  exchange.lostConnection();
  expect(exchange.refused(challengeOf('nonce="n3"'))).toBe("key");
});

test("the counts of 64 nonces go on", () => {
  const session = openSession();
  const signWith = (nonce: string) => {
    const exchange = new DigestExchange(session);
    exchange.refused(challengeOf(`nonce="${nonce}"`));
    return sign(exchange);
  };
  signWith("first");
  for (let other = 1; other < 64; other += 1) signWith(`${other}`);
  expect(signWith("first")).toBe("first 2");
  for (let other = 1; other <= 64; other += 1) signWith(`${other}`);
  expect(signWith("first")).toBe("first 1");
});

test("makes another client nonce of at most 16 characters for each nonce", () => {
  const exchange = begin();
  const made = ["a", "b"].map((nonce) => {
    exchange.refused(challengeOf(`nonce="${nonce}"`));
    return readAuthorization(exchange.sign("GET", "/") ?? "")["cnonce"];
  });
  expect(made).toEqual([expect.stringMatching(/^[0-9a-f]{8,16}$/), expect.stringMatching(/^[0-9a-f]{8,16}$/)]);
  expect(new Set(made).size).toBe(2);
});
