import { createServer } from "node:http";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { digestProtection } from "../../sdk/testing/digest-protection.ts";
import { listen } from "../servers/listen.ts";
import { KEYS, MONITORING, openClient } from "./open-client.ts";

it.each([
  { balancing: "connection", atATime: 1, atMost: { connections: 1, requests: 101 } },
  { balancing: "connection", atATime: 16, atMost: { connections: 16, requests: 116 } },
  { balancing: "cookie", atATime: 1, atMost: { connections: 1, requests: 101 } },
  { balancing: "cookie", atATime: 16, atMost: { connections: 16, requests: 116 } },
])("two servers, one for each $balancing, cost $atMost for 100 reads, $atATime at a time", async (row) => {
  // They do not know each other's nonces, and do not call them stale.
  const { publicKey: username, privateKey: password } = KEYS;
  const servers = [1, 2].map(() => digestProtection({ realm: "r", username, password }));
  const placeOf = new Map<Socket, number>();
  let [requests, turns] = [0, 0];
  const balancer = createServer(({ method = "", url = "", headers, socket }, response) => {
    const [, known] = /\bserver=(\d)/.exec(headers.cookie ?? "") ?? [];
    const place = row.balancing === "connection" ? placeOf.get(socket) : Number(known ?? turns++ % 2);
    const challenge = servers[place ?? 0]?.(method, url, headers.authorization);
    requests += 1;
    if (known === undefined) response.setHeader("set-cookie", [`server=${place}; Path=/`, "other=1; HttpOnly"]);
    if (challenge !== undefined) {
      response.writeHead(401, { "WWW-Authenticate": challenge.replace("stale=true", "stale=false") });
    }
    response.end("{}");
  });
  balancer.on("connection", (socket) => placeOf.set(socket, placeOf.size % 2));
  const client = openClient({ baseUrl: `http://127.0.0.1:${await listen(balancer)}` });
  let left = 100;
  const reader = async () => {
    while (left-- > 0) await client.get(MONITORING);
  };
  await Promise.all(Array.from({ length: row.atATime }, reader));
  expect(placeOf.size).toBeLessThanOrEqual(row.atMost.connections);
  expect(requests).toBeLessThanOrEqual(row.atMost.requests);
});
