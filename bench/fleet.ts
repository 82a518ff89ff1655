import { createServer } from "node:http";
import { getAgentLogConfig, getAgentLogConfigs } from "pulumi-agent-log-config";
import { Pool } from "undici";
import { listen } from "./listen.ts";
import { measureRounds } from "./measure-rounds.ts";
import { runReads } from "./run-reads.ts";
import { projectIds, SETTINGS, startDelay, startSlowService } from "./start-slow-service.ts";

// How long 400 reads of 200 projects take in one call, beside a loop of single calls and bare requests without Digest.

const DELAY_MILLISECONDS = 40;
const ids = projectIds(200);
const readCount = ids.length * 2;
const service = await startSlowService(ids.length, DELAY_MILLISECONDS);
Object.assign(process.env, service.env);
const plain = createServer((_, response) => response.end(JSON.stringify(SETTINGS)));
const origin = await startDelay(`http://127.0.0.1:${await listen(plain)}`, DELAY_MILLISECONDS);
const pool = new Pool(origin, { connections: 16 });

const bareRequest = async () => (await pool.request({ path: "/", method: "GET" })).body.json();
const fleet = async () => {
  const { configs } = await getAgentLogConfigs({ projectIds: ids });
  if (configs.length !== readCount) throw new Error(`Only ${configs.length} reads succeeded.`);
};
const loop = async () => {
  for (const projectId of ids) {
    await getAgentLogConfig({ projectId, agent: "monitoring" });
    await getAgentLogConfig({ projectId, agent: "backup" });
  }
};

await measureRounds(5, [
  { what: "bare requests, 16 at a time", run: () => runReads(bareRequest, readCount, 16) },
  { what: "getAgentLogConfigs", run: fleet },
]);
// The loop takes long, and one round of it says enough.
await measureRounds(1, [{ what: "a loop of getAgentLogConfig", run: loop }]);
process.stdout.write(`${readCount} reads at ${DELAY_MILLISECONDS} ms, Node.js ${process.version}\n`);
process.exit();
