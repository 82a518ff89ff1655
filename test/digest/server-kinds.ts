/** What a request carries; undefined members where it has no credentials. */
export interface Sent {
  readonly target: string;
  readonly nonce?: string | undefined;
  readonly opaque?: string | undefined;
  readonly count?: number | undefined;
}

/** A challenge, or an acceptance with the value of its `Authentication-Info`. */
export type Response = { readonly challenge: string } | { readonly info: string | undefined };

/** What a server knows, in plain fields that a test can copy. */
export interface ServerState {
  /** The counts that were accepted with each nonce that it knows. */
  readonly nonces: Map<string, number[]>;
  /** The last nonce for each target, or for each opaque. */
  readonly last: Map<string, string>;
  made: number;
  isKeyRevoked: boolean;
}

export type EventName = "forget" | "restart" | "hang" | "hurry" | "abort" | "revoke";

/** A kind of server, and what a client has to reach with it. */
export interface ServerKind {
  readonly description: string;
  readonly respond: (state: ServerState, sent: Sent) => Response;
  /** How often each event may happen. Default: never. */
  readonly events?: Partial<Record<EventName, number>>;
  /** The most requests on the wire for one request of a caller. */
  readonly atMost: number;
  /** It sends a nonce more than once. Default: false. */
  readonly repeatsNonces?: boolean;
  /** The targets of the requests. Default: all have the same. */
  readonly targets?: readonly string[];
  /** The credentials are refused. Default: they are accepted. */
  readonly isKeyWrong?: boolean;
}

function issue(state: ServerState): string {
  state.made += 1;
  const nonce = `n${state.made}`;
  state.nonces.set(nonce, []);
  return nonce;
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
  /** The nonce of a challenge. Default: a new one. */
  readonly offer?: (state: ServerState, sent: Sent) => string;
  /** The next nonce that an acceptance names. Default: none. */
  readonly next?: (state: ServerState, sent: Sent) => string;
}

function server({ accepts, stale = false, offer = issue, next }: Rule): ServerKind["respond"] {
  return (state, sent) => {
    const { nonce, count = 0 } = sent;
    const counts = nonce === undefined ? undefined : state.nonces.get(nonce);
    if (nonce === undefined || state.isKeyRevoked) return refuse(offer(state, sent), {});
    if (counts === undefined) return refuse(offer(state, sent), { stale: true });
    if (!accepts(counts, count)) return refuse(offer(state, sent), { stale });
    counts.push(count);
    counts.sort();
    return { info: next && `nextnonce="${next(state, sent)}"` };
  };
}

const isUnused: Rule["accepts"] = (counts, count) => !counts.includes(count);
const isNext: Rule["accepts"] = (counts, count) => count === counts.length + 1;
const isGreater: Rule["accepts"] = (counts, count) => count > Math.max(0, ...counts);
const isFirst: Rule["accepts"] = (counts) => counts.length === 0;

/** Offers the same nonce again, to all or for the same target, as long as it is known. */
const sameNonce =
  (key: (sent: Sent) => string) =>
  (state: ServerState, sent: Sent): string => {
    const last = state.last.get(key(sent));
    const nonce = last !== undefined && state.nonces.has(last) ? last : issue(state);
    state.last.set(key(sent), nonce);
    return nonce;
  };

/** Counts by opaque, as Apache httpd does: a client that sends an opaque keeps it, and a refusal begins anew. */
const countsByOpaque: ServerKind["respond"] = (state, { nonce, opaque, count }) => {
  const counts = opaque === undefined ? undefined : state.nonces.get(opaque);
  if (nonce !== undefined && counts !== undefined && count === counts.length + 1) {
    counts.push(count);
    return { info: undefined };
  }
  state.made += 1;
  const kept = opaque ?? `n${state.made}`;
  state.nonces.set(kept, []);
  state.made += 1;
  return refuse(`n${state.made}`, { opaque: kept });
};

const shared = server({ accepts: isUnused });
const wrongKey: ServerKind["respond"] = (state) => refuse(issue(state), {});

export const SERVER_KINDS: readonly ServerKind[] = [
  { description: "nonces that requests share", respond: shared, atMost: 2 },
  { description: "a caller gives up", respond: shared, events: { abort: 1 }, atMost: 2 },
  { description: "two callers give up", respond: shared, events: { abort: 2 }, atMost: 2 },
  { description: "a slow server", respond: shared, events: { hurry: 2 }, atMost: 2 },
  { description: "a connection hangs", respond: shared, events: { hang: 1 }, atMost: 2 },
  {
    description: "two connections hang",
    respond: shared,
    events: { hang: 2 },
    atMost: 2,
  },
  { description: "nonces expire once", respond: shared, events: { forget: 1 }, atMost: 3 },
  { description: "nonces expire twice", respond: shared, events: { forget: 2 }, atMost: 4 },
  { description: "a restart", respond: shared, events: { restart: 1 }, atMost: 4 },
  { description: "a key that is revoked", respond: shared, events: { revoke: 1 }, atMost: 3, isKeyWrong: true },
  { description: "nonces for one request", respond: server({ accepts: isFirst, stale: true }), atMost: 4 },
  {
    description: "nonces for one request that announce the next",
    respond: server({ accepts: isFirst, stale: true, next: issue }),
    atMost: 4,
  },
  { description: "counts strictly in order", respond: server({ accepts: isNext }), atMost: 4 },
  { description: "counts strictly in order, else stale", respond: server({ accepts: isNext, stale: true }), atMost: 4 },
  { description: "counts that grow", respond: server({ accepts: isGreater }), atMost: 4 },
  { description: "counts by opaque", respond: countsByOpaque, atMost: 4 },
  {
    description: "the same nonce in each challenge",
    repeatsNonces: true,
    respond: server({ accepts: isUnused, offer: sameNonce(() => "") }),
    atMost: 2,
  },
  {
    description: "the same nonce in each challenge, counts that grow",
    repeatsNonces: true,
    respond: server({ accepts: isGreater, offer: sameNonce(() => "") }),
    atMost: 4,
  },
  {
    description: "a nonce for each target",
    repeatsNonces: true,
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
    description: "a next nonce that is the same one",
    repeatsNonces: true,
    respond: server({ accepts: isUnused, next: (_, { nonce = "" }) => nonce }),
    atMost: 2,
  },
  {
    description: "a wrong key, while a connection hangs",
    respond: wrongKey,
    events: { hang: 1 },
    atMost: 2,
    isKeyWrong: true,
  },
  { description: "a wrong key", respond: wrongKey, events: { abort: 1, hurry: 1 }, atMost: 2, isKeyWrong: true },
  {
    description: "a wrong key, the same nonce in each challenge",
    repeatsNonces: true,
    respond: (state, sent) => refuse(sameNonce(() => "")(state, sent), {}),
    events: { abort: 1 },
    atMost: 2,
    isKeyWrong: true,
  },
  {
    description: "a wrong key that is called stale",
    respond: (state) => refuse(issue(state), { stale: true }),
    atMost: 4,
    isKeyWrong: true,
  },
  {
    description: "no authentication",
    respond: () => ({ info: undefined }),
    events: { hang: 1, abort: 1 },
    atMost: 1,
  },
];
