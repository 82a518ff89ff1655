// Compares the client with the fastest that undici can be, and with curl: npm run bench [-- --quick]
import { execFile, fork } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
import { Agent } from "undici";
import undici from "undici/package.json" with { type: "json" };
import { measureRounds } from "./measure-rounds.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const [ROUNDS, READS] = values.quick ? [5, 500] : [40, 2000];
const PROJECT_ID = "0123456789abcdef01234567";
const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };
const CA_FILE = fileURLToPath(new URL("../test/digest/fixtures/test-only-certificate.pem", import.meta.url));

const child = fork(new URL("server.ts", import.meta.url));
const origin = `https://127.0.0.1:${(await once(child, "message"))[0]}`;
const path = `/api/public/v1.0/groups/${PROJECT_ID}/automationConfig/monitoringAgentConfig`;
const agent = new Agent({ connections: 16, connect: { ca: readFileSync(CA_FILE) } });
const client = new AgentLogConfigClient({ baseUrl: origin, ...KEYS, caCertificate: CA_FILE });

/** Nothing is faster than credentials that are computed before the time is taken. */
async function precompute(): Promise<readonly string[]> {
  const credentials: string[] = [];
  while (credentials.length < READS) {
    const { headers, body } = await agent.request({ origin, path, method: "GET" });
    await body.dump();
    const [, nonce = ""] = /nonce="([^"]*)"/.exec(String(headers["www-authenticate"])) ?? [];
    const ha1 = hash("md5", `${KEYS.publicKey}:Example Public API:${KEYS.privateKey}`);
    for (let count = 1; count <= 1023; count += 1) {
      const nc = count.toString(16).padStart(8, "0");
      const response = hash("md5", `${ha1}:${nonce}:${nc}:0123456789abcdef:auth:${hash("md5", `GET:${path}`)}`);
      credentials.push(
        `Digest username="${KEYS.publicKey}", realm="Example Public API", nonce="${nonce}", uri="${path}", algorithm=MD5, qop=auth, cnonce="0123456789abcdef", response="${response}", nc=${nc}`,
      );
    }
  }
  return credentials;
}

async function readPrecomputed(authorization: string | undefined): Promise<unknown> {
  const { body } = await agent.request({
    origin,
    path,
    method: "GET",
    headers: { authorization: authorization ?? "" },
  });
  return body.json();
}

async function runReads(read: () => Promise<unknown>, atATime: number): Promise<void> {
  let begun = 0;
  const reader = async () => {
    while (begun < READS) {
      begun += 1;
      const settings = await read();
      if (!(settings instanceof Object && "logPath" in settings)) throw new Error("A read ended without the settings.");
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
}

async function runCurl(atATime: number): Promise<void> {
  const { stdout } = await promisify(execFile)("curl", [
    ...["--silent", "--cacert", CA_FILE, "--noproxy", "*", "--digest", "--user", Object.values(KEYS).join(":")],
    ...["--output", "/dev/null", "--write-out", "%{http_code}\n"],
    ...(atATime === 1 ? [] : ["--parallel", "--parallel-max", String(atATime)]),
    // The fragment is not sent, so that the server sees one and the same request.
    `${origin}${path}#[1-${READS}]`,
  ]);
  if (stdout !== "200\n".repeat(READS)) throw new Error("A read of curl ended without the settings.");
}

const tables: string[] = [];
for (const atATime of [1, 16]) {
  let credentials: readonly string[] = [];
  const lines = await measureRounds(ROUNDS, [
    {
      what: `undici, credentials precomputed (the limit), ${atATime} at a time`,
      prepare: async () => {
        credentials = await precompute();
      },
      run: () => {
        const left = credentials.values();
        return runReads(() => readPrecomputed(left.next().value), atATime);
      },
    },
    {
      what: `pulumi-agent-log-config/client, ${atATime} at a time`,
      goal: "1 / 0.93 = 1.08 times",
      run: () => runReads(() => client.get({ projectId: PROJECT_ID, agent: "monitoring" }), atATime),
    },
    { what: `curl --digest, ${atATime} at a time`, run: () => runCurl(atATime) },
  ]);
  tables.push(`| | seconds | times |\n|---|--:|--:|\n${lines.join("\n")}\n`);
}
await Promise.all([client.close(), agent.close()]);
child.kill();

// A quick run shows that the benchmark works; its figures are rough.
if (!values.quick) {
  writeResults({
    "Reads behind HTTP Digest": `Written by \`npm run bench\` with undici ${undici.version}: medians of ${ROUNDS} rounds of ${READS} reads over TLS on loopback. Each
read ends with the parsed JSON of some 500 bytes; curl parses nothing, and is one process for all reads of a round. The last column
is the median of each round's own ratio to the first line.

${tables.join("\n")}`,
  });
}
