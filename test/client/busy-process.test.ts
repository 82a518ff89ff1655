import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { LOG_PATH, MONITORING, openClient } from "./open-client.ts";

/** Responds to the first signed request once 600 ms are over, and then wakes the thread that waits. It counts connections. */
const SERVER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const challenge = 'Digest realm="r", nonce="n", qop="auth"';
  const server = require("node:http").createServer(({ headers }, response) => {
    if (headers.authorization === undefined) return response.writeHead(401, { "WWW-Authenticate": challenge }).end("{}");
    parentPort.postMessage("received");
    setTimeout(() => response.end('{"logPath":"${LOG_PATH}"}', () => {
      Atomics.store(workerData, 0, 1);
      Atomics.notify(workerData, 0);
    }), Atomics.load(workerData, 0) === 0 ? 600 : 0);
  });
  server.on("connection", () => Atomics.add(workerData, 1, 1));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

it("a response is used that has come while the process was too busy to see that the time of its read is over", async () => {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SERVER, { eval: true, workerData: shared });
  onTestFinished(() => void worker.terminate());
  const [port] = await once(worker, "message");
  const client = openClient({ baseUrl: `http://127.0.0.1:${port}` }, { timeoutSeconds: 0.5 });
  const read = client.get(MONITORING);
  await once(worker, "message");
  Atomics.wait(shared, 0, 0, 10_000);
  expect(await read).toMatchObject({ logPath: LOG_PATH });
  // Its connection is kept.
  expect(await client.get(MONITORING)).toMatchObject({ logPath: LOG_PATH });
  expect(Atomics.load(shared, 1)).toBe(1);
});
