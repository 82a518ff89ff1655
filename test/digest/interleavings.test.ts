import fc from "fast-check";
import { test } from "vitest";
import { DigestExchange, type DigestSession } from "../../sdk/digest/digest-exchange.ts";
import { chooseDigestChallenge } from "../../sdk/digest/digest-scheme.ts";
import { newKey, openSession } from "./open-session.ts";
import { readAuthorization } from "./read-authorization.ts";

// Three requests are made, reach a server and get its responses in any order, on two connections with one request at a time
// each, while the servers forget their nonces, connections move to the other server and callers give up.

/** Every run takes other orders, and fast-check prints the shortest one that fails. `FUZZ_RUNS` sets how many. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 300);

/** What a request carries; undefined members where it has no credentials. */
interface Sent {
  readonly target: string;
  readonly nonce?: string | undefined;
  readonly opaque?: string | undefined;
  readonly count?: number | undefined;
}

/** What a server knows: it knows the nonces of no other server. */
class ServerState {
  /** The counts that were accepted with each nonce. */
  readonly nonces = new Map<string, number[]>();
  /** The last nonce for each target, or for all. */
  readonly last = new Map<string, string>();
  isKeyRevoked = false;
  readonly #name: string;
  #made = 0;

  constructor(name: string) {
    this.#name = name;
  }

  makeName(): string {
    this.#made += 1;
    return `${this.#name}${this.#made}`;
  }

  issue(): string {
    const nonce = this.makeName();
    this.nonces.set(nonce, []);
    return nonce;
  }
}

/** Returns a challenge; undefined where the request is accepted. */
type Respond = (state: ServerState, sent: Sent) => string | undefined;

function challenge(nonce: string, stale = false, parameters = ""): string {
  return `Digest realm="r", nonce="${nonce}", qop="auth", stale=${stale}${parameters}`;
}

interface Rule {
  /** Whether a count may be used, after those that were accepted. */
  readonly accepts: (counts: readonly number[], count: number) => boolean;
  /** Whether a refusal of a nonce that is known is stale. Default: false. */
  readonly stale?: boolean;
  /** Whether a refusal of a nonce that is not known is stale. Default: true. */
  readonly saysStale?: boolean;
  /** The nonce of a challenge. Default: a new one. */
  readonly offer?: (state: ServerState, sent: Sent) => string;
}

function server({ accepts, stale = false, saysStale = true, offer = (state) => state.issue() }: Rule): Respond {
  return (state, sent) => {
    const { nonce, count = 0 } = sent;
    const counts = nonce === undefined ? undefined : state.nonces.get(nonce);
    if (nonce === undefined || state.isKeyRevoked) return challenge(offer(state, sent));
    if (counts === undefined) return challenge(offer(state, sent), saysStale);
    if (!accepts(counts, count)) return challenge(offer(state, sent), stale);
    counts.push(count);
    return undefined;
  };
}

const isUnused: Rule["accepts"] = (counts, count) => !counts.includes(count);
const isNext: Rule["accepts"] = (counts, count) => count === counts.length + 1;
const isRising: Rule["accepts"] = (counts, count) => counts.every((other) => other < count);
const isFirst: Rule["accepts"] = (counts) => counts.length === 0;

/** Offers the same nonce again, to all or for the same target, as long as it is known. */
const sameNonce =
  (key: (sent: Sent) => string): NonNullable<Rule["offer"]> =>
  (state, sent) => {
    const last = state.last.get(key(sent));
    const nonce = last !== undefined && state.nonces.has(last) ? last : state.issue();
    state.last.set(key(sent), nonce);
    return nonce;
  };
const toAll = sameNonce(() => "");
const forTarget = sameNonce(({ target }) => target);

/** Counts by opaque, as Apache httpd does: a client that sends an opaque keeps it, and a refusal begins anew. */
const countsByOpaque: Respond = (state, { nonce, opaque, count }) => {
  const counts = opaque === undefined ? undefined : state.nonces.get(opaque);
  if (nonce !== undefined && counts !== undefined && count === counts.length + 1) {
    counts.push(count);
    return undefined;
  }
  const kept = opaque ?? state.makeName();
  state.nonces.set(kept, []);
  return challenge(state.makeName(), false, `, opaque="${kept}"`);
};

const nonceOfTarget: Respond = (state, sent) => {
  const isForeign = sent.nonce !== undefined && sent.nonce !== state.last.get(sent.target);
  if (isForeign) return challenge(forTarget(state, sent), true);
  return server({ accepts: isUnused, offer: forTarget })(state, sent);
};

/** `forget`: the servers forget their nonces. `move`: a connection ends, and its next one leads to the other server. */
type EventName = "forget" | "move" | "abort" | "revoke";

/** A kind of server, and what a client has to reach with it. */
interface ServerKind {
  readonly description: string;
  readonly respond: Respond;
  /** The most requests on the wire for one request of a caller. */
  readonly atMost: number;
  /** How often each event may happen. Default: never. */
  readonly events?: Partial<Record<EventName, number>>;
  /** Events happen only after the key has been accepted. Default: at any time. */
  readonly eventsNeedAcceptedKey?: boolean;
  /** The targets of the requests. Default: all have the same. */
  readonly targets?: readonly string[];
  /** The credentials are refused. Default: they are accepted. */
  readonly isKeyWrong?: boolean;
}

const inAnyOrder = server({ accepts: isUnused });
const notStale = server({ accepts: isUnused, saysStale: false });
const isKeyWrong = true;

const SERVER_KINDS: readonly ServerKind[] = [
  { description: "counts in any order, and two callers give up", respond: inAnyOrder, events: { abort: 2 }, atMost: 2 },
  { description: "nonces expire once", respond: inAnyOrder, events: { forget: 1 }, atMost: 3 },
  { description: "nonces expire twice", respond: inAnyOrder, events: { forget: 2 }, atMost: 4 },
  { description: "connections move to another server", respond: inAnyOrder, events: { move: 2 }, atMost: 4 },
  {
    description: "connections move to another server, which does not say stale",
    respond: notStale,
    events: { move: 2 },
    // Before that, a refusal can't be told from that of a wrong key.
    eventsNeedAcceptedKey: true,
    atMost: 4,
  },
  { description: "a key is revoked", respond: inAnyOrder, events: { revoke: 1 }, atMost: 4, isKeyWrong },
  { description: "nonces for one request", respond: server({ accepts: isFirst, stale: true }), atMost: 2 },
  { description: "counts strictly in order", respond: server({ accepts: isNext }), atMost: 2 },
  { description: "counts by opaque", respond: countsByOpaque, atMost: 2 },
  { description: "one nonce for all", respond: server({ accepts: isUnused, offer: toAll }), atMost: 2 },
  { description: "one nonce for all, counts rise", respond: server({ accepts: isRising, offer: toAll }), atMost: 4 },
  { description: "a nonce for each target", respond: nonceOfTarget, targets: ["/a", "/b", "/a"], atMost: 4 },
  {
    description: "a wrong key",
    respond: (state) => challenge(state.issue()),
    events: { abort: 1 },
    atMost: 2,
    isKeyWrong,
  },
  {
    description: "a wrong key, one nonce for all",
    respond: (state, sent) => challenge(toAll(state, sent)),
    events: { abort: 1 },
    atMost: 2,
    isKeyWrong,
  },
  {
    description: "a wrong key that is called stale",
    respond: (state) => challenge(state.issue(), true),
    atMost: 4,
    isKeyWrong,
  },
  { description: "no authentication", respond: () => undefined, events: { abort: 1 }, atMost: 1 },
];

interface Connection {
  readonly state: DigestSession;
  /** The server at its other end. */
  server: ServerState;
  request?: Request | undefined;
}

interface Request {
  readonly exchange: DigestExchange;
  readonly target: string;
  /** undefined before the server has responded. */
  landed?: (() => void) | undefined;
  sent: Sent;
  sentCount: number;
}

/** Lets everything happen in the order that `choose` says, and throws where something happens that must not. */
function live(kind: ServerKind, choose: (choices: number) => number): void {
  const { respond, events = {}, eventsNeedAcceptedKey, targets = ["/", "/", "/"], atMost } = kind;
  const key = newKey();
  const servers = [new ServerState("a"), new ServerState("b")];
  const connections: readonly Connection[] = servers.map((own) => ({ state: openSession(key), server: own }));
  const used = new Set<string>();
  const left = { ...events };
  const waiting = [...targets];

  const send = (request: Request) => {
    const header = request.exchange.sign("GET", request.target);
    const { nonce, opaque, nc } = header === undefined ? {} : readAuthorization(header);
    const name = `${nonce} ${opaque} ${nc}`;
    if (header !== undefined && used.has(name)) throw new Error(`The count ${nc} of the nonce ${nonce} is used twice.`);
    used.add(name);
    const count = nc === undefined ? undefined : Number.parseInt(nc, 16);
    request.sent = { target: request.target, nonce, opaque, count };
    request.sentCount += 1;
    if (request.sentCount > atMost) throw new Error(`A request was sent ${request.sentCount} times.`);
  };
  const land = (connection: Connection, request: Request, response: string | undefined) => {
    request.landed = undefined;
    if (response !== undefined && request.exchange.refused(chooseDigestChallenge(response)) === "sign")
      return send(request);
    if (response === undefined) request.exchange.answered(true);
    else if (!kind.isKeyWrong) throw new Error("The right key was called wrong.");
    connection.request = undefined;
  };

  for (;;) {
    const steps: (() => void)[] = [];
    const addEvent = (name: EventName, happen: () => void) => {
      const count = left[name] ?? 0;
      if (count === 0 || (eventsNeedAcceptedKey && !key.isAccepted)) return;
      steps.push(() => {
        left[name] = count - 1;
        happen();
      });
    };
    for (const connection of connections) {
      const { request, state } = connection;
      addEvent("move", () => {
        connection.server = servers[connection.server === servers[0] ? 1 : 0] ?? connection.server;
      });
      if (request !== undefined) {
        addEvent("abort", () => {
          connection.request = undefined;
        });
        steps.push(
          request.landed ??
            (() => {
              const response = respond(connection.server, request.sent);
              request.landed = () => land(connection, request, response);
            }),
        );
        continue;
      }
      const [target] = waiting;
      if (target === undefined) continue;
      steps.push(() => {
        waiting.shift();
        connection.request = { exchange: new DigestExchange(state), target, sent: { target }, sentCount: 0 };
        send(connection.request);
      });
    }
    addEvent("forget", () => {
      for (const { nonces } of servers) nonces.clear();
    });
    addEvent("revoke", () => {
      for (const each of servers) each.isKeyRevoked = true;
    });
    const step = steps[choose(steps.length)];
    if (step === undefined) return;
    step();
  }
}

const ORDERS = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });

test.for(SERVER_KINDS)("requests end as they must in any order where $description", (kind) => {
  const property = fc.property(ORDERS, (order) => {
    const left = order.values();
    live(kind, (choices) => (left.next().value ?? 0) % choices);
  });
  fc.assert(property, { numRuns: RUNS });
});
