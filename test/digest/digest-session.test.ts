import { expect, test } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { DigestSession, type Lease } from "../../sdk/digest/digest-session.ts";
import { readAuthorization } from "./read-authorization.ts";

function challengeOf(parameters: string) {
  return chooseDigestChallenge(`Digest realm="r", qop="auth", ${parameters}`);
}

function openSession(): DigestSession {
  return new DigestSession({ username: "u", password: "p" });
}

/** Signs a request, and returns the nonce and its count; "probe" if it goes without credentials. */
function sign(lease: Lease): string {
  const header = lease.sign("GET", "/");
  if (header === undefined) return "probe";
  const { nonce, nc } = readAuthorization(header);
  return `${nonce} ${Number.parseInt(nc ?? "", 16)}`;
}

function take(session: DigestSession): Lease {
  return session.take(() => {});
}

/** A session in which the server has accepted one request that was signed with the nonce "old". */
function openProven(parameters = ""): DigestSession {
  const session = openSession();
  const lease = take(session);
  sign(lease);
  lease.refused(challengeOf(`nonce="old"${parameters}`));
  sign(lease);
  lease.accepted();
  return session;
}

interface Refusal {
  readonly description: string;
  /** Brings a request to the point where it is refused. */
  readonly begin: () => Lease;
  readonly challenge: string;
  /** What is sent next, or that the refusal is the caller's. */
  readonly next: string;
}

function beginFresh(): Lease {
  const lease = take(openSession());
  sign(lease);
  return lease;
}

function beginSigned(): Lease {
  const lease = beginFresh();
  lease.refused(challengeOf('nonce="n"'));
  sign(lease);
  return lease;
}

function beginProven(parameters?: string): Lease {
  const lease = take(openProven(parameters));
  sign(lease);
  return lease;
}

/** A request that is refused while another one is in flight with the same nonce. */
function beginOverlapped(parameters?: string): Lease {
  const session = openProven(parameters);
  const [lease, other] = [take(session), take(session)];
  sign(lease);
  sign(other);
  return lease;
}

function refuseAgain(lease: Lease, challenge: string): Lease {
  lease.refused(challengeOf(challenge));
  sign(lease);
  return lease;
}

const REFUSALS: readonly Refusal[] = [
  { description: "a probe", begin: beginFresh, challenge: 'nonce="new"', next: "new 1" },
  { description: "a fresh nonce", begin: beginSigned, challenge: 'nonce="new"', next: "deliver" },
  { description: "a fresh nonce, as stale", begin: beginSigned, challenge: 'nonce="new", stale=true', next: "new 1" },
  { description: "a proven nonce", begin: beginProven, challenge: 'nonce="new"', next: "new 1" },
  { description: "a proven nonce, which it repeats", begin: beginProven, challenge: 'nonce="old"', next: "old 3" },
  {
    description: "a proven nonce twice",
    begin: () => refuseAgain(beginProven(), 'nonce="old"'),
    challenge: 'nonce="old"',
    next: "deliver",
  },
  {
    description: "the nonce that came after a proven one",
    begin: () => refuseAgain(beginProven(), 'nonce="new"'),
    challenge: 'nonce="newer"',
    next: "deliver",
  },
  {
    description: "a proven nonce with others in flight",
    begin: beginOverlapped,
    challenge: 'nonce="new"',
    next: "new 1",
  },
  {
    description: "a proven nonce with others in flight, with the same opaque",
    begin: () => beginOverlapped(', opaque="o"'),
    challenge: 'nonce="new", opaque="o"',
    next: "probe",
  },
  {
    description: "a proven nonce with others in flight, with another opaque",
    begin: () => beginOverlapped(', opaque="o"'),
    challenge: 'nonce="new", opaque="other"',
    next: "new 1",
  },
  {
    description: "a proven nonce, alone, with the same opaque",
    begin: () => beginProven(', opaque="o"'),
    challenge: 'nonce="new", opaque="o"',
    next: "new 1",
  },
  {
    description: "a third nonce, as stale",
    begin: () => refuseAgain(refuseAgain(beginSigned(), 'nonce="n2", stale=true'), 'nonce="n3", stale=true'),
    challenge: 'nonce="n4", stale=true',
    next: "deliver",
  },
];

test.for(REFUSALS)("after the refusal of $description comes: $next", ({ begin, challenge, next }) => {
  const lease = begin();
  const decided = lease.refused(challengeOf(challenge));
  expect(decided === "send" ? sign(lease) : decided).toBe(next);
});

test("the fourth request of a read is its last", () => {
  const lease = beginSigned();
  for (const stale of ["n2", "n3"]) refuseAgain(lease, `nonce="${stale}", stale=true`);
  expect(lease.refused(challengeOf('nonce="n4", stale=true'))).toBe("deliver");
});

const SEPARATIONS = [
  { description: "a refusal with others in flight", begin: beginOverlapped, refusal: 'nonce="new"', isSeparate: true },
  {
    description: "a stale refusal after one use",
    begin: beginProven,
    refusal: 'nonce="new", stale=true',
    isSeparate: true,
  },
  { description: "a refusal of a lone request", begin: beginProven, refusal: 'nonce="new"', isSeparate: false },
  {
    description: "a stale refusal after two uses",
    begin: () => {
      const session = openProven();
      const other = take(session);
      sign(other);
      other.accepted();
      const lease = take(session);
      sign(lease);
      return lease;
    },
    refusal: 'nonce="new", stale=true',
    isSeparate: false,
  },
];

test.for(SEPARATIONS)("requests share nonces after $description: not $isSeparate", ({ begin, refusal, isSeparate }) => {
  const lease = begin();
  const session = sessionOf(lease);
  refuseAgain(lease, refusal);
  lease.accepted();
  expect(session.unused !== undefined).toBe(isSeparate);
});

function sessionOf(lease: Lease): DigestSession {
  const session: unknown = Reflect.get(lease, "session");
  if (!(session instanceof DigestSession)) throw new Error("The lease has no session.");
  return session;
}

test("requests go on sharing where a nonce that seems unshareable was of a key that is wrong", () => {
  const lease = beginOverlapped();
  refuseAgain(lease, 'nonce="new"');
  lease.refused(challengeOf('nonce="newer"'));
  expect(sessionOf(lease).unused).toBeUndefined();
});

test("an exhausted nonce is not handed out", () => {
  const session = openProven();
  if (session.shared !== undefined) session.shared.count = 0xffffffff;
  expect(sign(take(session))).toBe("probe");
});

test("the last count of a nonce is ffffffff", () => {
  const session = openProven();
  if (session.shared !== undefined) session.shared.count = 0xfffffffe;
  expect(take(session).sign("GET", "/")).toContain("nc=ffffffff");
});

test("an exhausted nonce gives way to the next one", () => {
  const session = openProven();
  const late = take(session);
  sign(late);
  if (session.shared !== undefined) session.shared.count = 0xffffffff;
  const lease = take(session);
  sign(lease);
  refuseAgain(lease, 'nonce="new"');
  lease.accepted();
  late.accepted();
  expect(sign(take(session))).toBe("new 2");
});

const COUNTS = [
  { count: 10, nc: "0000000a" },
  { count: 400, nc: "00000190" },
  { count: 1024, nc: "00000400" },
  { count: 16_777_217, nc: "01000001" },
];

test.for(COUNTS)("the count $count is sent as $nc", ({ count, nc }) => {
  const session = openProven();
  if (session.shared !== undefined) session.shared.count = count - 1;
  expect(take(session).sign("GET", "/")).toContain(`nc=${nc}`);
});

test("a session remembers 64 nonces", () => {
  const session = openSession();
  const first = session.nonceOf(challengeOf('nonce="first"'));
  for (let other = 1; other < 64; other += 1) session.nonceOf(challengeOf(`nonce="${other}"`));
  expect(session.nonceOf(challengeOf('nonce="first"'))).toBe(first);
  for (let other = 100; other < 164; other += 1) session.nonceOf(challengeOf(`nonce="${other}"`));
  expect(session.nonceOf(challengeOf('nonce="first"'))).not.toBe(first);
});

test("the hasty let as many probe as probe already", () => {
  const session = openSession();
  const sent: number[] = [];
  for (let index = 0; index < 8; index += 1) session.take(() => sent.push(index));
  session.hurry();
  expect(sent).toEqual([1]);
  session.hurry();
  expect(sent).toEqual([1, 2, 3]);
});
