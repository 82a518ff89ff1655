/** What a request carries; undefined members where it has no credentials. */
export interface Sent {
  readonly target: string;
  readonly nonce?: string | undefined;
  readonly opaque?: string | undefined;
  readonly count?: number | undefined;
}

/** A challenge; undefined where the request is accepted. */
export type Response = { readonly challenge: string } | undefined;

/** What a server knows. */
export class ServerState {
  /** The counts that were accepted with each nonce that it knows. */
  readonly nonces = new Map<string, number[]>();
  /** The last nonce for each target, or for all. */
  readonly last = new Map<string, string>();
  isKeyRevoked = false;
  readonly #name: string;
  #made = 0;

  /** @param name that of its nonces: it knows those of no other server */
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

  forget(): void {
    this.nonces.clear();
  }

  revoke(): void {
    this.isKeyRevoked = true;
  }

  /** Tells whether it may send a nonce once more. */
  mayRepeat(nonce: string): boolean {
    return this.nonces.has(nonce) && [...this.last.values()].includes(nonce);
  }

  /**
   * All that its responses depend on.
   * @param isKnown tells whether a nonce may come again
   */
  projection(isKnown: (nonce: string) => boolean): unknown {
    const last = [...this.last].filter(([, nonce]) => this.nonces.has(nonce));
    return [[...this.nonces].filter(([nonce]) => isKnown(nonce)), last, this.isKeyRevoked];
  }
}

/** `forget`: the servers forget their nonces. `move`: a connection ends, and its next one leads to the other server. */
export type EventName = "forget" | "move" | "abort" | "revoke";

/** A kind of server, and what a client has to reach with it. */
export interface ServerKind {
  readonly description: string;
  readonly respond: (state: ServerState, sent: Sent) => Response;
  /** How often each event may happen. Default: never. */
  readonly events?: Partial<Record<EventName, number>>;
  /** Events happen only after the key has been accepted. Default: at any time. */
  readonly eventsNeedAcceptedKey?: boolean;
  /** The most requests on the wire for one request of a caller. */
  readonly atMost: number;
  /** The targets of the requests. Default: all have the same. */
  readonly targets?: readonly string[];
  /** The credentials are refused. Default: they are accepted. */
  readonly isKeyWrong?: boolean;
}

function refuse(nonce: string, { stale = false, opaque }: { stale?: boolean; opaque?: string | undefined }): Response {
  const parameters = opaque === undefined ? "" : `, opaque="${opaque}"`;
  return { challenge: `Digest realm="r", nonce="${nonce}", qop="auth", stale=${stale}${parameters}` };
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

const issue = (state: ServerState) => state.issue();

function server({ accepts, stale = false, saysStale = true, offer = issue }: Rule): ServerKind["respond"] {
  return (state, sent) => {
    const { nonce, count = 0 } = sent;
    const counts = nonce === undefined ? undefined : state.nonces.get(nonce);
    if (nonce === undefined || state.isKeyRevoked) return refuse(offer(state, sent), {});
    if (counts === undefined) return refuse(offer(state, sent), { stale: saysStale });
    if (!accepts(counts, count)) return refuse(offer(state, sent), { stale });
    counts.push(count);
    counts.sort();
    return undefined;
  };
}

const isUnused: Rule["accepts"] = (counts, count) => !counts.includes(count);
const isNext: Rule["accepts"] = (counts, count) => count === counts.length + 1;
const isRising: Rule["accepts"] = (counts, count) => counts.every((other) => other < count);
const isFirst: Rule["accepts"] = (counts) => counts.length === 0;

/** Offers the same nonce again, to all or for the same target, as long as it is known. */
const sameNonce =
  (key: (sent: Sent) => string) =>
  (state: ServerState, sent: Sent): string => {
    const last = state.last.get(key(sent));
    const nonce = last !== undefined && state.nonces.has(last) ? last : state.issue();
    state.last.set(key(sent), nonce);
    return nonce;
  };

/** Counts by opaque, as Apache httpd does: a client that sends an opaque keeps it, and a refusal begins anew. */
const countsByOpaque: ServerKind["respond"] = (state, { nonce, opaque, count }) => {
  const counts = opaque === undefined ? undefined : state.nonces.get(opaque);
  if (nonce !== undefined && counts !== undefined && count === counts.length + 1) {
    counts.push(count);
    return undefined;
  }
  const kept = opaque ?? state.makeName();
  state.nonces.set(kept, []);
  return refuse(state.makeName(), { opaque: kept });
};

const shared = server({ accepts: isUnused });
const wrongKey: ServerKind["respond"] = (state) => refuse(state.issue(), {});

export const SERVER_KINDS: readonly ServerKind[] = [
  { description: "counts in any order", respond: shared, atMost: 2 },
  { description: "two callers give up", respond: shared, events: { abort: 2 }, atMost: 2 },
  { description: "nonces expire once", respond: shared, events: { forget: 1 }, atMost: 3 },
  { description: "nonces expire twice", respond: shared, events: { forget: 2 }, atMost: 4 },
  {
    description: "connections that move to another server",
    respond: shared,
    events: { move: 2 },
    atMost: 4,
  },
  {
    description: "connections that move to another server, which does not say stale",
    respond: server({ accepts: isUnused, saysStale: false }),
    events: { move: 2 },
    // Before that, a refusal can't be told from that of a wrong key.
    eventsNeedAcceptedKey: true,
    atMost: 4,
  },
  {
    description: "a key that is revoked",
    respond: shared,
    events: { revoke: 1 },
    atMost: 4,
    isKeyWrong: true,
  },
  {
    description: "nonces for one request",
    respond: server({ accepts: isFirst, stale: true }),
    atMost: 2,
  },
  { description: "counts strictly in order", respond: server({ accepts: isNext }), atMost: 2 },
  { description: "counts by opaque", respond: countsByOpaque, atMost: 2 },
  {
    description: "the same nonce in each challenge",
    respond: server({ accepts: isUnused, offer: sameNonce(() => "") }),
    atMost: 2,
  },
  {
    description: "the same nonce in each challenge, counts that rise",
    respond: server({ accepts: isRising, offer: sameNonce(() => "") }),
    atMost: 4,
  },
  {
    description: "a nonce for each target",
    targets: ["/a", "/b", "/a", "/b"],
    respond: (state, sent) => {
      const own = state.last.get(sent.target);
      const isForeign = sent.nonce !== undefined && sent.nonce !== own;
      const offer = sameNonce(({ target }) => target);
      return isForeign
        ? refuse(offer(state, sent), { stale: true })
        : server({ accepts: isUnused, offer })(state, sent);
    },
    atMost: 4,
  },
  {
    description: "a wrong key",
    respond: wrongKey,
    events: { abort: 1 },
    atMost: 2,
    isKeyWrong: true,
  },
  {
    description: "a wrong key, the same nonce in each challenge",
    respond: (state, sent) => refuse(sameNonce(() => "")(state, sent), {}),
    events: { abort: 1 },
    // Where two connections have the nonce, a refusal tells nothing of the key.
    atMost: 4,
    isKeyWrong: true,
  },
  {
    description: "a wrong key that is called stale",
    respond: (state) => refuse(state.issue(), { stale: true }),
    atMost: 4,
    isKeyWrong: true,
  },
  { description: "no authentication", respond: () => undefined, events: { abort: 1 }, atMost: 1 },
];
