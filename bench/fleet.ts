import { createServer } from "node:http";
import { getAgentLogConfig, getAgentLogConfigs } from "pulumi-agent-log-config";
import { startService } from "pulumi-agent-log-config/testing";
import { Pool } from "undici";
import { median } from "./median.ts";
import { startDelay } from "./start-delay.ts";

// How long 400 reads of 200 projects take in one call, beside a loop of single calls and bare requests without Digest.

const ROUNDS = 5;
const PROJECTS = 200;
const DELAY_MILLISECONDS = 40;
const AT_A_TIME = 16;
const SETTINGS = { logPath: "/var/log/agent.log", logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } };

const projectIds = Array.from({ length: PROJECTS }, (_, index) => index.toString(16).padStart(24, "0"));
const service = await startService({
  settings: Object.fromEntries(projectIds.map((projectId) => [projectId, { monitoring: SETTINGS, backup: SETTINGS }])),
});
const plain = createServer((_, response) => response.end(JSON.stringify(SETTINGS)));
await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
const address = plain.address();
if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
const toService = await startDelay(new URL(service.baseUrl).port, DELAY_MILLISECONDS);
const toPlain = await startDelay(String(address.port), DELAY_MILLISECONDS);
process.env["AGENT_LOG_CONFIG_BASE_URL"] = toService.origin;
process.env["AGENT_LOG_CONFIG_PUBLIC_KEY"] = "publickey";
process.env["AGENT_LOG_CONFIG_PRIVATE_KEY"] = "private-key-0001";
process.env["AGENT_LOG_CONFIG_ALLOW_HTTP"] = "true";

const contenders = {
  "bare requests, 16 at a time": bareRequests,
  getAgentLogConfigs: async () => {
    const { configs } = await getAgentLogConfigs({ projectIds });
    if (configs.length !== PROJECTS * 2) throw new Error(`Only ${configs.length} reads succeeded.`);
  },
  "a loop of getAgentLogConfig": async () => {
    for (const projectId of projectIds) {
      await getAgentLogConfig({ projectId, agent: "monitoring" });
      await getAgentLogConfig({ projectId, agent: "backup" });
    }
  },
};

const seconds = new Map<string, number[]>();
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(contenders)) {
    // The loop takes long, and one round of it says enough.
    if (name.startsWith("a loop") && round !== 1) continue;
    const started = performance.now();
    await run();
    // The first round opens the connections.
    if (round > 0) seconds.set(name, [...(seconds.get(name) ?? []), (performance.now() - started) / 1000]);
  }
}

const [bare = []] = seconds.values();
for (const [name, measured] of seconds) {
  const ratio = median(measured.map((value, index) => value / (bare[index] ?? Number.NaN)));
  process.stdout.write(`${name}: ${median(measured).toFixed(2)} s, ${ratio.toFixed(2)} of the bare requests\n`);
}
process.stdout.write(
  `${PROJECTS * 2} reads at ${DELAY_MILLISECONDS} ms, ${ROUNDS} rounds, Node.js ${process.version}\n`,
);
process.exit();

async function bareRequests(): Promise<void> {
  const pool = new Pool(toPlain.origin, { connections: AT_A_TIME });
  let next = 0;
  const work = async () => {
    while (next < PROJECTS * 2) {
      next += 1;
      const { body } = await pool.request({ path: "/", method: "GET" });
      await body.json();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  await pool.close();
}
