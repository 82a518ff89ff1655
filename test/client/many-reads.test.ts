import diagnosticsChannel from "node:diagnostics_channel";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentLogConfigClient, ConnectionOptions } from "../../sdk/client/index.ts";
import { digestProtection } from "../../sdk/testing/digest-protection.ts";
import { listen } from "../servers/listen.ts";
import { KEYS, openClientOfRun } from "./open-client.ts";

// How many reads of a run are lost where only some of them, or only some seconds, are bad. What a server does with a request
// depends on its project, its connection and the time.

/** Requests that are under way, and those of them whose responses wait for the clock. */
const underWay = { sent: 0, late: 0 };
const noteSent = () => {
  underWay.sent += 1;
};
const noteEnd = () => {
  underWay.sent -= 1;
};
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  diagnosticsChannel.subscribe("undici:request:create", noteSent);
  for (const end of ["trailers", "error"]) diagnosticsChannel.subscribe(`undici:request:${end}`, noteEnd);
});
afterAll(() => {
  vi.useRealTimers();
  diagnosticsChannel.unsubscribe("undici:request:create", noteSent);
  for (const end of ["trailers", "error"]) diagnosticsChannel.unsubscribe(`undici:request:${end}`, noteEnd);
});

/** A request that the key was accepted for, or of a gateway that asks for none. */
interface Asked {
  /** The number of the project, from 0. */
  readonly project: number;
  /** The number of the connection, from 0. */
  readonly connection: number;
  /** Since the server was started. */
  readonly seconds: number;
}

/** `"reset"` cuts the connection, as a host whose service does not run refuses it. */
type Reaction =
  | "reset"
  | {
      readonly status: number;
      readonly errorCode?: string;
      readonly afterSeconds?: number;
      readonly retryAfter?: string;
    };

const OK: Reaction = { status: 200 };
const DOWN: Reaction = { status: 503 };
const HANGS: Reaction = { status: 200, afterSeconds: 3600 };

/** Starts a service, behind a gateway that reacts before it does where it returns something. */
async function serve(react: (asked: Asked) => Reaction, gateway: (asked: Asked) => Reaction | undefined) {
  const { publicKey: username, privateKey: password } = KEYS;
  const challengeFor = digestProtection({ realm: "r", username, password });
  const startedAt = performance.now();
  const connections = new Map<Socket, number>();
  const counts = { requests: 0 };
  const send = async (
    response: ServerResponse,
    { status, errorCode, afterSeconds, retryAfter }: Exclude<Reaction, "reset">,
  ) => {
    if (afterSeconds !== undefined) {
      underWay.late += 1;
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, afterSeconds * 1000);
        response.once("close", () => resolve(clearTimeout(timer)));
      });
      underWay.late -= 1;
    }
    const headers = retryAfter === undefined ? {} : { "Retry-After": retryAfter };
    response.writeHead(status, headers).end(JSON.stringify(status === 200 ? {} : { error: status, errorCode }));
  };
  const server = createServer((request: IncomingMessage, response) => {
    counts.requests += 1;
    const { method = "", url = "", headers, socket } = request;
    const project = Number.parseInt(/groups\/(\w+)/.exec(url)?.[1] ?? "", 16);
    const asked = {
      project,
      connection: connections.get(socket) ?? 0,
      seconds: (performance.now() - startedAt) / 1000,
    };
    const early = gateway(asked);
    const challenge = early === undefined ? challengeFor(method, url, headers.authorization) : undefined;
    const reaction = early ?? react(asked);
    if (challenge !== undefined) response.writeHead(401, { "WWW-Authenticate": challenge }).end();
    else if (reaction === "reset") socket.resetAndDestroy();
    else void send(response, reaction);
  });
  server.on("connection", (socket) => connections.set(socket, connections.size));
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, counts, server };
}

/** Returns the codes of the reads of these projects that fail. The clock moves on whenever nothing else happens. */
async function lostOf(client: Pick<AgentLogConfigClient, "get">, projects: readonly number[]) {
  const codes: (string | undefined)[] = [];
  for (const project of projects) {
    const projectId = project.toString(16).padStart(24, "0");
    client.get({ projectId, agent: "monitoring" }).then(
      () => codes.push(undefined),
      ({ code }) => codes.push(code),
    );
  }
  while (codes.length < projects.length) {
    for (let quiet = 0; quiet < 20; quiet += 1) {
      await setImmediate();
      if (underWay.sent > underWay.late) quiet = 0;
    }
    if (codes.length < projects.length) await vi.advanceTimersToNextTimerAsync();
  }
  return codes.filter((code) => code !== undefined);
}

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

interface Row {
  readonly description: string;
  readonly reads: number;
  readonly options?: Partial<ConnectionOptions>;
  readonly react?: (asked: Asked) => Reaction;
  readonly gateway?: (asked: Asked) => Reaction | undefined;
  readonly lost: number;
}

const isDown = ({ seconds }: Asked, from: number, to: number) => seconds >= from && seconds < to;

describe("of many reads", () => {
  it.each<Row>([
    {
      description: "the service restarts for 4.5 s, and connections are cut",
      reads: 2000,
      react: () => ({ status: 200, afterSeconds: 0.02 }),
      gateway: (asked) => (isDown(asked, 0.5, 5) ? "reset" : undefined),
      lost: 0,
    },
    {
      description: "it does, and reads have three retries",
      reads: 2000,
      options: { maxRetries: 3 },
      react: () => ({ status: 200, afterSeconds: 0.02 }),
      gateway: (asked) => (isDown(asked, 0.5, 5) ? "reset" : undefined),
      lost: 17,
    },
    {
      description: "it does, and a gateway responds with 503",
      reads: 2000,
      options: { maxRetries: 3 },
      react: () => ({ status: 200, afterSeconds: 0.02 }),
      gateway: (asked) => (isDown(asked, 0.5, 5) ? DOWN : undefined),
      lost: 17,
    },
    {
      description: "the role is missing on the first project",
      reads: 60,
      react: ({ project }) => (project === 0 ? { status: 401, errorCode: "USER_UNAUTHORIZED" } : OK),
      lost: 1,
    },
    {
      description: "one node of four is down, and the others respond after 2 s",
      reads: 300,
      react: () => ({ status: 200, afterSeconds: 2 }),
      gateway: ({ connection }) => (connection % 4 === 0 ? DOWN : undefined),
      lost: 0,
    },
    {
      description: "every tenth project hangs",
      reads: 400,
      react: ({ project }) => (project % 10 === 5 ? HANGS : OK),
      lost: 40,
    },
    {
      description: "sixteen projects in a row hang",
      reads: 400,
      react: ({ project }) => (project >= 100 && project < 116 ? HANGS : OK),
      lost: 16,
    },
    {
      description: "one project may not be read for a day",
      reads: 200,
      react: ({ project }) => (project === 20 ? { status: 429, retryAfter: "86400" } : OK),
      lost: 1,
    },
  ])(
    "$lost of $reads are lost where $description",
    async ({ reads, options, react = () => OK, gateway = () => undefined, lost }) => {
      const { baseUrl } = await serve(react, gateway);
      const client = openClientOfRun({ baseUrl }, { maxRetries: undefined, ...options });
      const codes = await lostOf(client, upTo(reads));
      expect(codes.length).toBeLessThanOrEqual(lost);
      expect(codes.filter((code) => code === "ERR_WRONG_KEY")).toEqual([]);
    },
  );

  it("none is lost after an outage of ten seconds of a service whose reads take six", async () => {
    const { baseUrl } = await serve(
      () => ({ status: 200, afterSeconds: 6 }),
      (asked) => (isDown(asked, 6, 16) ? DOWN : undefined),
    );
    const client = openClientOfRun({ baseUrl }, { maxRetries: 3 });
    // The first one ends as the outage begins.
    expect((await lostOf(client, upTo(20))).length).toBeLessThan(20);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await lostOf(client, upTo(200))).toEqual([]);
  });

  it("16 are lost at most where the connection is refused for as long as they are retried, and none after that", async () => {
    const isRunning = { value: false };
    const { baseUrl } = await serve(
      () => OK,
      () => (isRunning.value ? undefined : "reset"),
    );
    const client = openClientOfRun({ baseUrl }, { maxRetries: 5 });
    expect(await lostOf(client, upTo(16))).toEqual(Array(16).fill("ERR_CONNECTION"));
    isRunning.value = true;
    expect(await lostOf(client, upTo(200))).toEqual([]);
  });

  it("60 fail with status 503 after 20 that succeed: at most 47 of them are sent, each with four attempts of two requests", async () => {
    const { baseUrl, counts } = await serve(
      ({ project }) => (project < 20 ? OK : DOWN),
      () => undefined,
    );
    const client = openClientOfRun({ baseUrl }, { maxRetries: 3 });
    expect(await lostOf(client, upTo(80))).toEqual(Array(60).fill("ERR_UNAVAILABLE"));
    expect(counts.requests).toBeLessThanOrEqual(47 * 4 * 2 + 20 + 16);
  });

  it("one after the other, only that is lost whose project hangs over a connection that is open", async () => {
    const { baseUrl } = await serve(
      ({ project }) => (project === 1 ? HANGS : OK),
      () => undefined,
    );
    const client = openClientOfRun({ baseUrl }, { maxRetries: 5 });
    const codes = [];
    for (const project of upTo(4)) codes.push(...(await lostOf(client, [project])));
    expect(codes).toEqual(["ERR_TIMEOUT"]);
  });

  it("all are lost after the first one where nothing listens, and none after the minute in which it comes back", async () => {
    const { baseUrl, counts, server } = await serve(
      () => OK,
      () => undefined,
    );
    const client = openClientOfRun({ baseUrl }, { maxRetries: 5 });
    const [startedAt, port] = [performance.now(), Number(new URL(baseUrl).port)];
    await new Promise((resolve) => server.close(resolve));
    expect(await lostOf(client, upTo(200))).toEqual(Array(200).fill("ERR_CONNECTION"));
    // The first one alone for five seconds, and fifteen others that are sent then: each of them has its six attempts.
    expect((performance.now() - startedAt) / 1000).toBeLessThanOrEqual(5 + 15.5);
    expect(counts.requests).toBe(0);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await lostOf(client, upTo(200))).toEqual([]);
  });

  it.each([
    { description: "is silent", reaction: HANGS, code: "ERR_TIMEOUT", sent: 3 },
    { description: "responds with 503", reaction: DOWN, code: "ERR_UNAVAILABLE", sent: 4 },
  ])(
    "one after the other, $sent are sent in the minute after which the rest fails where a service $description",
    async (row) => {
      const { baseUrl, counts } = await serve(
        () => OK,
        () => row.reaction,
      );
      // Six attempts, of which the last one begins 15.5 s after the first.
      vi.spyOn(Math, "random").mockReturnValue(0);
      const client = openClientOfRun({ baseUrl }, { maxRetries: 5 });
      for (const project of upTo(12)) expect(await lostOf(client, [project])).toEqual([row.code]);
      expect(counts.requests).toBe(row.reaction === HANGS ? row.sent : 6 * row.sent);
    },
  );

  it("the rest fails at once after 32 that no server responds to, and 15 others", async () => {
    const { baseUrl, counts } = await serve(
      () => OK,
      () => "reset",
    );
    const startedAt = performance.now();
    const codes = await lostOf(openClientOfRun({ baseUrl }, { maxRetries: 3, timeoutSeconds: 10 }), upTo(1000));
    expect(codes).toEqual(Array(1000).fill("ERR_CONNECTION"));
    // The first one alone, then sixteen twice, then the last ones, each with four attempts in 3.5 s at most.
    expect((performance.now() - startedAt) / 1000).toBeLessThanOrEqual(4 * 3.5);
    expect(counts.requests).toBe((32 + 15) * 4);
  });
});
