import { Agent, createServer as createHttpServer, request as sendRequest } from "node:http";
import { createConnection, createServer } from "node:net";
import { onTestFinished } from "vitest";
import { digestProtection } from "../../sdk/testing/digest-protection.ts";
import { listen } from "../servers/listen.ts";
import { KEYS } from "./open-client.ts";

/** How a balancer chooses a server: for each connection, or for each request by a cookie that it sets itself. */
export type Balancing = "round robin" | "random" | "sticky cookie";

/** Two servers that do not know each other's nonces, and what leads to them. */
export interface BalancedService {
  readonly baseUrl: string;
  /** The connections that clients have opened. */
  connections: number;
  /** The requests that the servers have received. */
  requests: number;
}

/** @param saysStale whether the servers call a nonce that they don't know stale */
export async function startBalancedService(balancing: Balancing, saysStale: boolean): Promise<BalancedService> {
  const service = { baseUrl: "", connections: 0, requests: 0 };
  const ports = [await startServer(service, saysStale), await startServer(service, saysStale)];
  let turns = 0;
  const choose = () => {
    turns += 1;
    const place = balancing === "random" ? Math.floor(Math.random() * 2) : turns % 2;
    return ports[place] ?? 0;
  };
  const balancer = balancing === "sticky cookie" ? balanceRequests(choose) : balanceConnections(choose);
  balancer.on("connection", () => {
    service.connections += 1;
  });
  service.baseUrl = `http://127.0.0.1:${await listen(balancer)}`;
  return service;
}

async function startServer(service: BalancedService, saysStale: boolean): Promise<number> {
  const challengeFor = digestProtection({ realm: "r", username: KEYS.publicKey, password: KEYS.privateKey });
  const server = createHttpServer(({ method = "", url = "", headers }, response) => {
    service.requests += 1;
    const challenge = challengeFor(method, url, headers.authorization);
    if (challenge === undefined) {
      response.end("{}");
      return;
    }
    const sent = saysStale ? challenge : challenge.replace("stale=true", "stale=false");
    response.writeHead(401, { "WWW-Authenticate": sent }).end("refused");
  });
  return listen(server);
}

function balanceConnections(choose: () => number) {
  return createServer((near) => {
    const far = createConnection(choose(), "127.0.0.1");
    near.on("error", () => {}).pipe(far);
    far.on("error", () => {}).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
}

function balanceRequests(choose: () => number) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return createHttpServer((request, response) => {
    const [, known] = /\bserver=(\d+)/.exec(request.headers.cookie ?? "") ?? [];
    const port = known ?? String(choose());
    const { method, url: path, headers } = request;
    const forwarded = sendRequest({ host: "127.0.0.1", port, method, path, headers, agent }, (far) => {
      const cookie = known === undefined ? { "set-cookie": [`server=${port}; Path=/`, "other=1; HttpOnly"] } : {};
      far.pipe(response.writeHead(far.statusCode ?? 500, { ...far.headers, ...cookie }));
    });
    forwarded.end();
  });
}
