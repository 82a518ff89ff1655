import { expect, test } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { DigestExchange, DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";
import { readAuthorization } from "./read-authorization.ts";

function challengeOf(parameters: string) {
  return chooseDigestChallenge(`Digest realm="r", qop="auth", ${parameters}`);
}

function openSession(key = new DigestKey({ username: "u", password: "p" })): DigestSession {
  return new DigestSession(key);
}

/** Signs a request, and returns the nonce and its count; "bare" if it goes without credentials. */
function sign(exchange: DigestExchange): string {
  const header = exchange.sign("GET", "/");
  if (header === undefined) return "bare";
  const { nonce, nc } = readAuthorization(header);
  return `${nonce} ${Number.parseInt(nc ?? "", 16)}`;
}

function begin(session = openSession()): DigestExchange {
  const exchange = new DigestExchange(session);
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

/** A session in which the server has accepted one request that was signed with the nonce "old". */
function openProven(key?: DigestKey): DigestSession {
  const session = openSession(key);
  refuse(begin(session), 'nonce="old"').accepted();
  return session;
}

const REFUSALS: readonly {
  readonly description: string;
  /** Brings a request to the point where it is refused. */
  readonly begin: () => DigestExchange;
  readonly challenge: string;
  /** What is sent next, or that the refusal is the caller's. */
  readonly next: string;
}[] = [
  { description: "a bare request", begin: () => begin(), challenge: 'nonce="new"', next: "new 1" },
  {
    description: "a fresh nonce",
    begin: () => refuse(begin(), 'nonce="n"'),
    challenge: 'nonce="new"',
    next: "the caller's",
  },
  {
    description: "a fresh nonce, as stale",
    begin: () => refuse(begin(), 'nonce="n"'),
    challenge: 'nonce="new", stale=true',
    next: "new 1",
  },
  { description: "a kept nonce", begin: () => begin(openProven()), challenge: 'nonce="new"', next: "new 1" },
  {
    description: "a kept nonce, which comes again",
    begin: () => begin(openProven()),
    challenge: 'nonce="old"',
    next: "old 3",
  },
  {
    description: "a fresh nonce after a kept one",
    begin: () => refuse(begin(openProven()), 'nonce="n2"'),
    challenge: 'nonce="n3"',
    next: "n3 1",
  },
  {
    description: "a third fresh nonce after a kept one",
    begin: () => refuse(begin(openProven()), 'nonce="n2"', 'nonce="n3"', 'nonce="n4"'),
    challenge: 'nonce="n5"',
    next: "the caller's",
  },
  {
    description: "a fourth nonce, as stale",
    begin: () => refuse(begin(), 'nonce="n1", stale=true', 'nonce="n2", stale=true', 'nonce="n3", stale=true'),
    challenge: 'nonce="n4", stale=true',
    next: "the caller's",
  },
];

test.for(REFUSALS)("after the refusal of $description comes: $next", ({ begin: arrange, challenge, next }) => {
  const exchange = arrange();
  expect(exchange.refused(challengeOf(challenge)) ? sign(exchange) : "the caller's").toBe(next);
});

test("a refusal on one connection is not final where another one has shown that the key is right", () => {
  const key = new DigestKey({ username: "u", password: "p" });
  openProven(key);
  expect(refuse(begin(openSession(key)), 'nonce="n1"').refused(challengeOf('nonce="n2"'))).toBe(true);
});

test("a key that was refused for good counts as wrong from then on", () => {
  const session = openProven();
  refuse(begin(session), 'nonce="n2"', 'nonce="n3"', 'nonce="n4"').refused(challengeOf('nonce="n5"'));
  expect(refuse(begin(session), 'nonce="n6"').refused(challengeOf('nonce="n7"'))).toBe(false);
});

test("a refused nonce is used by no other request", () => {
  const session = openSession();
  refuse(begin(session), 'nonce="n1"').refused(challengeOf('nonce="n2"'));
  expect(sign(new DigestExchange(session))).toBe("bare");
});

test("a nonce that was refused is not used again, whatever became of the request", () => {
  const session = openProven();
  begin(session).refused(challengeOf('nonce="new", stale=true'));
  expect(sign(new DigestExchange(session))).toBe("bare");
});

test("a connection does not know the nonce of another one", () => {
  const key = new DigestKey({ username: "u", password: "p" });
  openProven(key);
  expect(sign(new DigestExchange(openSession(key)))).toBe("bare");
});

test("the count of a nonce goes on however often others come between", () => {
  const session = openProven();
  for (const challenge of ['nonce="other"', 'nonce="old"']) refuse(begin(session), challenge).accepted();
  expect(sign(new DigestExchange(session))).toBe("old 4");
});

test("the count of a nonce goes on on whichever connection the server sends it again", () => {
  const key = new DigestKey({ username: "u", password: "p" });
  const first = openProven(key);
  const second = refuse(begin(openSession(key)));
  expect(second.refused(challengeOf('nonce="old"')) && sign(second)).toBe("old 2");
  second.accepted();
  expect(sign(new DigestExchange(first))).toBe("old 3");
});

const OTHER_NONCES = [
  { description: "of another realm", challenge: 'Digest realm="other", nonce="old", qop="auth"' },
  { description: "with another opaque", challenge: 'Digest realm="r", nonce="old", qop="auth", opaque="o"' },
  { description: "for another algorithm", challenge: 'Digest realm="r", nonce="old", qop="auth", algorithm=SHA-256' },
];

test.for(OTHER_NONCES)("a nonce $description is another one", ({ challenge }) => {
  const exchange = begin(openProven());
  exchange.refused(chooseDigestChallenge(challenge));
  expect(sign(exchange)).toBe("old 1");
});

test("a nonce without qop is another one, and has no count", () => {
  const exchange = begin(openProven());
  exchange.refused(chooseDigestChallenge('Digest realm="r", nonce="old"'));
  expect(exchange.sign("GET", "/")).not.toContain("nc=");
});

test("a refused nonce that two connections have tells nothing of the key", () => {
  const key = new DigestKey({ username: "u", password: "p" });
  const [one, other] = [begin(openSession(key)), begin(openSession(key))];
  for (const exchange of [one, other]) refuse(exchange, 'nonce="n"');
  expect(one.refused(challengeOf('nonce="n"'))).toBe(true);
  expect(sign(one)).toBe("n 3");
});

test("a key remembers 64 nonces", () => {
  const session = openSession();
  const remember = (name: string) => session.key.nonceOf(challengeOf(`nonce="${name}"`), session);
  const first = remember("first");
  for (let other = 1; other < 64; other += 1) remember(`${other}`);
  expect(remember("first")).toBe(first);
  for (let other = 1; other <= 64; other += 1) remember(`${other}`);
  expect(remember("first")).not.toBe(first);
});

const COUNTS = [
  { count: 400, nc: "00000190" },
  { count: 16_777_217, nc: "01000001" },
];

test.for(COUNTS)("the count $count is sent as $nc", ({ count, nc }) => {
  const session = openProven();
  if (session.nonce !== undefined) session.nonce.count = count - 1;
  expect(new DigestExchange(session).sign("GET", "/")).toContain(`nc=${nc}`);
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
