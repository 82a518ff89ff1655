import { expect, it } from "vitest";
import { Cookies } from "../../sdk/client/cookies.ts";
import { MAX_REQUESTS, RequestQueue } from "../../sdk/client/request-queue.ts";
import type { DigestConnection } from "../../sdk/digest/digest-request.ts";
import { DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";

class Connection implements DigestConnection {
  readonly session = new DigestSession(new DigestKey({ username: "u", password: "p" }));
  readonly cookies = new Cookies();
  isClosed = false;

  dispatch(): boolean {
    return true;
  }

  replace(): void {}

  async destroy(): Promise<void> {
    this.isClosed = true;
  }
}

function openQueue() {
  const opened: Connection[] = [];
  const places = new Map<DigestConnection, number>();
  const queue = new RequestQueue(() => {
    const connection = new Connection();
    places.set(connection, opened.push(connection));
    return connection;
  });
  const used: DigestConnection[] = [];
  const enter = () => {
    const use = (connection: DigestConnection) => void used.push(connection);
    const connection = queue.take();
    if (connection === undefined) return { isSent: false, leave: queue.enter(use) };
    use(connection);
    return { isSent: true, leave: () => queue.return(connection) };
  };
  return { queue, opened, usedPlaces: () => used.map((connection) => places.get(connection)), enter };
}

it("uses the connection that was used last, and opens another one only where all are in use", () => {
  const { usedPlaces, enter } = openQueue();
  const [first, second] = [enter(), enter()];
  first.leave();
  second.leave();
  enter();
  enter();
  enter();
  expect(usedPlaces()).toEqual([1, 2, 2, 1, 3]);
});

it("opens no more connections than requests may be under way, and lets the others wait", async () => {
  const { opened, usedPlaces, enter } = openQueue();
  const requests = Array.from({ length: MAX_REQUESTS + 2 }, enter);
  expect(requests.map(({ isSent }) => isSent)).toEqual([...Array(MAX_REQUESTS).fill(true), false, false]);
  // A request that is given up while it waits is not sent.
  requests.at(-2)?.leave();
  requests[0]?.leave();
  // One that comes now does not go before the one that waits.
  expect(enter().isSent).toBe(false);
  await Promise.resolve();
  expect([opened.length, usedPlaces().length]).toEqual([MAX_REQUESTS, MAX_REQUESTS + 1]);
});

it("gives nothing to a request that was given up while it waited", async () => {
  const { usedPlaces, enter } = openQueue();
  const requests = Array.from({ length: MAX_REQUESTS + 1 }, enter);
  requests.at(-1)?.leave();
  requests[0]?.leave();
  await Promise.resolve();
  expect(usedPlaces()).toHaveLength(MAX_REQUESTS);
});

it("closes all connections, in use or not", async () => {
  const { queue, opened, enter } = openQueue();
  enter().leave();
  enter();
  enter();
  await queue.destroy();
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
