import { expect, test } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { DigestSession, type Lease } from "../../sdk/digest/digest-session.ts";
import { Signer } from "../../sdk/digest/signer.ts";
import { copyGraph, fingerprintOf } from "./object-graph.ts";
import { readAuthorization } from "./read-authorization.ts";
import {
  type EventName,
  type Response,
  SERVER_KINDS,
  type Sent,
  type ServerKind,
  type ServerState,
} from "./server-kinds.ts";

// Explores every order in which four requests can be made, reach a server and get its responses, while connections hang or
// break, the server forgets its nonces and callers give up. Orders that lead to the same state are followed once.

const REQUESTS = 4;
const FINAL = ["accepted", "refused", "failed", "aborted", "hung"] as const;

interface Request {
  readonly target: string;
  state: "new" | "waiting" | "sent" | "answered" | (typeof FINAL)[number];
  lease: Lease | undefined;
  sent: Sent | undefined;
  response: Response | undefined;
  sentCount: number;
}

interface World {
  readonly requests: readonly Request[];
  readonly session: DigestSession;
  readonly server: ServerState;
  /** The counts that each nonce was used with. */
  readonly used: Map<string, number[]>;
  /** How often each event may still happen. */
  readonly left: Record<EventName, number>;
}

/** Something that can happen now. */
interface Step {
  readonly name: string;
  readonly take: (world: World) => void;
}

const credentials = Object.freeze({ username: "u", password: "p" });
/** What never changes is not copied. */
const isShared = (value: object) => value instanceof Signer || Object.isFrozen(value);

const SKIPPED = new Set(["made", "credentials", "proceed", "lastSigner", "used"]);

/** What matters of a world from now on, with the server at the end: a nonce that nobody holds any more does not matter. */
function contentOf(value: object, isMet: (name: string) => boolean): readonly unknown[] {
  if (value instanceof Map) return [...value].filter(([name]) => isMet(name)).flat();
  if (value instanceof Set || Array.isArray(value)) return [...value];
  if (value === current) {
    // Requests that differ in their number alone are alike.
    const { requests, session, server, left } = current;
    const orderOf = ({ state, target, sentCount }: Request) => `${state} ${target} ${sentCount}`;
    return [...requests.toSorted((a, b) => orderOf(a).localeCompare(orderOf(b))), session, server, left];
  }
  return Object.entries(value).flatMap(([name, inner]) => (SKIPPED.has(name) ? [] : [inner]));
}

/** The world in which a step is being taken. */
let current: World;

function begin({ events = {}, targets = [] }: ServerKind): World {
  const request = (_: unknown, index: number): Request => ({
    target: targets[index] ?? "/",
    state: "new",
    lease: undefined,
    sent: undefined,
    response: undefined,
    sentCount: 0,
  });
  return {
    requests: Array.from({ length: REQUESTS }, request),
    session: new DigestSession(credentials),
    server: { nonces: new Map(), last: new Map(), made: 0, isKeyRevoked: false },
    used: new Map(),
    left: { forget: 0, restart: 0, hang: 0, hurry: 0, abort: 0, revoke: 0, ...events },
  };
}

/** Sends a request as the handler does: at once when its lease lets it. */
function send(index: number): void {
  const request = requestOf(current, index);
  const header = request.lease?.sign("GET", request.target);
  const { nonce, opaque, nc } = header === undefined ? {} : readAuthorization(header);
  const count = nc === undefined ? undefined : Number.parseInt(nc, 16);
  if (nonce !== undefined && count !== undefined) {
    const counts = current.used.get(nonce) ?? [];
    if (counts.includes(count)) throw new Error(`The count ${count} of the nonce ${nonce} is used twice.`);
    current.used.set(nonce, [...counts, count]);
  }
  request.sent = Object.freeze({ target: request.target, nonce, opaque, count });
  request.state = "sent";
  request.sentCount += 1;
}

function requestOf(world: World, index: number): Request {
  const request = world.requests[index];
  if (request === undefined) throw new Error(`There is no request ${index}.`);
  return request;
}

function stepsOf(world: World, { respond }: ServerKind): readonly Step[] {
  const { requests, left } = world;
  const next = requests.findIndex(({ state }) => state === "new");
  const steps: Step[] = [];
  // The requests are alike but for their targets, so that they can be made in one order.
  if (next >= 0) steps.push({ name: `make ${next}`, take: (w) => make(w, next) });
  for (const [index, { state }] of requests.entries()) {
    const on = (name: string, take: (request: Request, world: World) => void) =>
      steps.push({ name: `${name} ${index}`, take: (w) => take(requestOf(w, index), w) });
    if (state === "sent") on("serve", (request, { server }) => serve(request, server, respond));
    if (state === "answered") on("land", (request) => land(request, index));
    if (state === "sent" && left.hang > 0) on("hang", hang);
    if ((state === "waiting" || state === "sent" || state === "answered") && left.abort > 0) on("abort", abort);
  }
  if (left.forget > 0 && world.server.nonces.size > 0) steps.push({ name: "forget", take: forget });
  if (left.restart > 0 && world.server.nonces.size > 0) steps.push({ name: "restart", take: restart });
  if (left.revoke > 0) steps.push({ name: "revoke", take: revoke });
  const isLate = left.hurry > 0 || requests.some(({ state }) => state === "hung");
  if (isLate && world.session.waiting.size > 0) steps.push({ name: "hurry", take: hurry });
  return steps;
}

function make({ session, requests }: World, index: number): void {
  const request = requests[index];
  if (request === undefined) return;
  request.lease = session.take(() => send(index));
  if (request.lease.isWaiting) request.state = "waiting";
  else send(index);
}

function serve(request: Request, server: ServerState, respond: ServerKind["respond"]): void {
  if (request.sent === undefined) return;
  request.response = Object.freeze(respond(server, request.sent));
  request.state = "answered";
}

function land(request: Request, index: number): void {
  const { lease, response } = request;
  request.response = undefined;
  if (lease === undefined || response === undefined) return;
  if ("info" in response) {
    request.state = "accepted";
    lease.accepted(response.info);
  } else if (lease.refused(Object.freeze(chooseDigestChallenge(response.challenge))) === "send") send(index);
  else request.state = "refused";
}

function hang(request: Request, { left }: World): void {
  left.hang -= 1;
  request.state = "hung";
}

function abort(request: Request, { left }: World): void {
  left.abort -= 1;
  request.state = "aborted";
  request.lease?.aborted();
}

function forget({ left, server }: World): void {
  left.forget -= 1;
  server.nonces.clear();
}

function restart({ left, server, requests }: World): void {
  left.restart -= 1;
  server.nonces.clear();
  for (const request of requests.filter(({ state }) => state === "sent" || state === "answered")) {
    // A request that waited is sent as soon as another one fails, over a new connection.
    request.state = "failed";
    request.lease?.failed();
  }
}

function hurry({ left, session }: World): void {
  left.hurry = Math.max(0, left.hurry - 1);
  session.hurry();
}

function revoke({ left, server }: World): void {
  left.revoke -= 1;
  server.isKeyRevoked = true;
}

function isOver({ state }: Request): boolean {
  return FINAL.some((final) => final === state);
}

/** What must hold in every state. */
function problemOf({ session, requests }: World, steps: readonly Step[], kind: ServerKind): string | undefined {
  if (session.waiting.size > 0 && session.probing.size === 0) return "Requests wait, and none probes.";
  const busiest = Math.max(...requests.map(({ sentCount }) => sentCount));
  if (busiest > kind.atMost) return `A request was sent ${busiest} times.`;
  if (steps.length === 0 && !requests.every(isOver)) return "A request never ends.";
  if (!kind.isKeyWrong && requests.some(({ state }) => state === "refused")) return "The right key was called wrong.";
  return undefined;
}

/** Follows every order of steps. Returns how many states there are. */
function explore(kind: ServerKind): number {
  current = begin(kind);
  const seen = new Set([fingerprintOf(current, contentOf)]);
  const left: { world: World; path: readonly string[] }[] = [{ world: current, path: [] }];
  for (let entry = left.pop(); entry !== undefined; entry = left.pop()) {
    const steps = stepsOf(entry.world, kind);
    const problem = problemOf(entry.world, steps, kind);
    if (problem !== undefined) throw new Error(`${problem} ${entry.path.join(", ")}`);
    for (const [index, { name, take }] of steps.entries()) {
      // Nobody needs this world after the last step.
      current = index === steps.length - 1 ? entry.world : copyGraph(entry.world, isShared);
      const path = [...entry.path, name];
      try {
        take(current);
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error} ${path.join(", ")}`);
      }
      for (const request of current.requests.filter(isOver)) {
        request.lease = undefined;
        request.sent = undefined;
        request.sentCount = 0;
      }
      // What the session remembers of nonces that never come again does not matter.
      if (!kind.repeatsNonces) current.session.nonces.clear();
      const fingerprint = fingerprintOf(current, contentOf);
      if (seen.has(fingerprint)) continue;
      seen.add(fingerprint);
      left.push({ world: current, path });
    }
  }
  return seen.size;
}

test.for(SERVER_KINDS)("four requests end as they must in every order of events: $description", (kind) => {
  expect(explore(kind)).toBeGreaterThan(REQUESTS * REQUESTS);
});
