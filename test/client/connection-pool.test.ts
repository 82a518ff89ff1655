import { setImmediate as turn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { ConnectionPool, MAX_CONNECTIONS } from "../../sdk/client/connection-pool.ts";
import { Cookies } from "../../sdk/client/cookies.ts";
import { DigestKey, DigestSession } from "../../sdk/digest/digest-session.ts";
import type { DigestConnection } from "../../sdk/digest/send-signed.ts";

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

function openPool() {
  const opened: Connection[] = [];
  const pool = new ConnectionPool(() => {
    const connection = new Connection();
    opened.push(connection);
    return connection;
  });
  return { pool, opened };
}

it("gives the connection that was used last, and opens another one only where all are in use", async () => {
  const { pool } = openPool();
  const [first, second] = [await pool.take(), await pool.take()];
  pool.giveBack(first);
  pool.giveBack(second);
  expect(await pool.take()).toBe(second);
  expect(await pool.take()).toBe(first);
  expect([first, second]).not.toContain(await pool.take());
});

it("opens a limited number of connections, and lets the other reads wait in their order", async () => {
  const { pool, opened } = openPool();
  const takes = Array.from({ length: MAX_CONNECTIONS + 3 }, () => new AbortController()).map((controller) => {
    const ended = vi.fn<(end: unknown) => void>();
    pool.take(controller.signal).then(ended, ended);
    return { controller, ended };
  });
  const [givenUp, next, last] = takes.slice(MAX_CONNECTIONS);
  await turn();
  for (const { ended } of takes.slice(0, MAX_CONNECTIONS)) expect(ended).toHaveBeenCalled();
  givenUp?.controller.abort("enough");
  const [connection = new Connection()] = opened;
  pool.giveBack(connection);
  await turn();
  expect(givenUp?.ended).toHaveBeenCalledWith("enough");
  expect(next?.ended).toHaveBeenCalledWith(connection);
  expect(last?.ended).not.toHaveBeenCalled();
  expect(opened).toHaveLength(MAX_CONNECTIONS);
});

it("closes all connections, in use or not", async () => {
  const { pool, opened } = openPool();
  pool.giveBack(await pool.take());
  await pool.take();
  await pool.take();
  await pool.destroy();
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
