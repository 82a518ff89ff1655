import { expect, test } from "vitest";
import { chooseDigestChallenge } from "../../sdk/digest/digest-challenge.ts";
import { DigestExchange, DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";
import { explore, type Step, type World } from "./explore.ts";
import { readAuthorization } from "./read-authorization.ts";
import {
  type EventName,
  type Response,
  SERVER_KINDS,
  type Sent,
  type ServerKind,
  ServerState,
} from "./server-kinds.ts";

// Explores every order in which three requests can be made, reach a server and get its responses, while the server forgets its
// nonces, connections move to another server and callers give up, on two connections with one request at a time each.

const REQUESTS = 3;

interface Request {
  readonly target: string;
  readonly exchange: DigestExchange;
  readonly connection: Connection;
  state: "sent" | "answered" | "accepted" | "refused" | "aborted";
  sent: Sent;
  response: Response | undefined;
  sentCount: number;
}

interface Connection {
  readonly session: DigestSession;
  /** The place of the server at its other end. */
  server: number;
}

class Exchanges implements World {
  readonly #kind: ServerKind;
  readonly #key = new DigestKey({ username: "u", password: "p" });
  readonly #connections: readonly Connection[] = [0, 1].map((server) => ({
    session: new DigestSession(this.#key),
    server,
  }));
  readonly #servers = [new ServerState("a"), new ServerState("b")];
  readonly #requests: Request[] = [];
  /** The counts that each server has seen of each nonce. */
  readonly #used = new Map<string, number[]>();
  /** How often each event may still happen. */
  readonly #left: Record<EventName, number>;

  constructor(kind: ServerKind) {
    this.#kind = kind;
    this.#left = { forget: 0, move: 0, abort: 0, revoke: 0, ...kind.events };
  }

  readonly steps = (): readonly Step[] => {
    const steps: Step[] = [];
    const add = (name: string, take: () => void) => steps.push({ name, take });
    if (this.#requests.length < REQUESTS) {
      for (const [index, connection] of this.#connections.entries()) {
        const isFree = !this.#requests.some((other) => other.connection === connection && isUnderWay(other));
        if (isFree) add(`make on ${index}`, () => this.#make(connection));
      }
    }
    for (const [index, request] of this.#requests.entries()) {
      if (request.state === "sent") add(`serve ${index}`, () => this.#serve(request));
      if (request.state === "answered") add(`land ${index}`, () => this.#land(request));
      if (isUnderWay(request)) this.#event(add, "abort", ` ${index}`, () => abort(request));
    }
    this.#event(add, "forget", "", () => this.#eachServer((server) => server.forget()));
    this.#event(add, "revoke", "", () => this.#eachServer((server) => server.revoke()));
    for (const [index, connection] of this.#connections.entries()) {
      this.#event(add, "move", ` ${index}`, () => move(connection));
    }
    return steps;
  };

  readonly projection = (): string => {
    const requests = this.#requests.map(({ state, target, sent, response, sentCount, connection }) =>
      state === "sent" || state === "answered"
        ? JSON.stringify([state, target, sent, response, sentCount, this.#connections.indexOf(connection)])
        : state,
    );
    // Requests that differ in their number alone are alike.
    const known = JSON.stringify([
      requests.toSorted(),
      this.#connections.map(({ server, session: { nonce } }) => [server, nonce && describe(nonce)]),
      this.#key.nonces
        .filter(({ challenge }) => this.#servers.some((other) => other.mayRepeat(challenge.nonce)))
        .map(describe),
      this.#key.isAccepted,
      this.#left,
    ]);
    const servers = this.#servers.map((server) => server.projection((name) => known.includes(name)));
    // So are nonces that differ in their name alone.
    const names = new Map<string, string>();
    return (known + JSON.stringify(servers)).replaceAll(/[ab]\d+\b/g, (name) => {
      const short = names.get(name) ?? `${name.slice(0, 1)}-${names.size}`;
      names.set(name, short);
      return short;
    });
  };

  readonly problem = (): string | undefined => {
    const { atMost, isKeyWrong = false } = this.#kind;
    const busiest = Math.max(0, ...this.#requests.map(({ sentCount }) => sentCount));
    if (busiest > atMost) return `A request was sent ${busiest} times.`;
    if (!isKeyWrong && this.#requests.some(({ state }) => state === "refused"))
      return "The right key was called wrong.";
    const isOver = this.#requests.length === REQUESTS && !this.#requests.some(isUnderWay);
    return !isOver && this.steps().length === 0 ? "A request never ends." : undefined;
  };

  #event(add: (name: string, take: () => void) => void, event: EventName, of: string, happen: () => void): void {
    if (this.#left[event] === 0 || (this.#kind.eventsNeedAcceptedKey && !this.#key.isAccepted)) return;
    add(event + of, () => {
      this.#left[event] -= 1;
      happen();
    });
  }

  #eachServer(change: (server: ServerState) => void): void {
    for (const server of this.#servers) change(server);
  }

  #make(connection: Connection): void {
    const target = this.#kind.targets?.[this.#requests.length] ?? "/";
    const exchange = new DigestExchange(connection.session);
    const request: Request = {
      target,
      exchange,
      connection,
      state: "sent",
      sent: { target },
      response: undefined,
      sentCount: 0,
    };
    this.#requests.push(request);
    this.#send(request);
  }

  #send(request: Request): void {
    const { target, exchange } = request;
    const header = exchange.sign("GET", target);
    const { nonce, opaque, nc } = header === undefined ? {} : readAuthorization(header);
    const count = nc === undefined ? undefined : Number.parseInt(nc, 16);
    if (nonce !== undefined && count !== undefined) {
      const name = `${nonce} ${opaque}`;
      const counts = this.#used.get(name) ?? [];
      if (counts.includes(count)) throw new Error(`The count ${count} of the nonce ${nonce} is used twice.`);
      this.#used.set(name, [...counts, count]);
    }
    request.sent = { target, nonce, opaque, count };
    request.state = "sent";
    request.sentCount += 1;
  }

  #serve(request: Request): void {
    const server = this.#servers[request.connection.server];
    if (server === undefined) throw new Error("There is no such server.");
    request.response = this.#kind.respond(server, request.sent);
    request.state = "answered";
  }

  #land(request: Request): void {
    const { exchange, response } = request;
    if (response === undefined) {
      request.state = "accepted";
      exchange.accepted();
    } else if (exchange.refused(chooseDigestChallenge(response.challenge))) this.#send(request);
    else request.state = "refused";
  }
}

function abort(request: Request): void {
  request.state = "aborted";
}

function move(connection: Connection): void {
  connection.server = 1 - connection.server;
}

function isUnderWay({ state }: Request): boolean {
  return state === "sent" || state === "answered";
}

function describe({ challenge, count, isShared }: DigestKey["nonces"][number]): readonly unknown[] {
  return [challenge, count, isShared];
}

test.for(SERVER_KINDS)("three requests on two connections end as they must in every order: $description", (kind) => {
  expect(explore(() => new Exchanges(kind))).toBeGreaterThan(REQUESTS * 2);
});
