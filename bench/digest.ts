// Compares pulumi-agent-log-config/digest with what people would use instead: npm run bench [-- --quick]
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setDefaultCACertificates } from "node:tls";
import { parseArgs } from "node:util";
import { z } from "zod";
import { countRequests } from "./count-requests.ts";
import { createCertificate } from "./create-certificate.ts";
import { curlContender } from "./curl-contender.ts";
import { installPeers } from "./install-peers.ts";
import { judgeMemory, judgeRequests, judgeSpeed } from "./judge.ts";
import { measureMemory } from "./measure-memory.ts";
import { peerContender } from "./peer-contender.ts";
import { type Course, type Result, race } from "./race.ts";
import { renderResults } from "./render-results.ts";
import { type Pace, type Standing, standing } from "./standing.ts";
import { type Server, startServer } from "./start-server.ts";
import { client, interceptor, plain, precomputed } from "./undici-contenders.ts";
import { wwwAuthenticateContender } from "./www-authenticate-contender.ts";

interface Size {
  readonly course: Course;
  /** Those who are slow take part in every nth round. */
  readonly everyNthRound: number;
  readonly countedReads: number;
  readonly memoryReads: number;
}

// More reads than a nonce is good for, and more than those last that write the nonce count in decimal.
const FULL: Size = { course: { rounds: 12, reads: 4000 }, everyNthRound: 4, countedReads: 5000, memoryReads: 100_000 };
const QUICK: Size = { course: { rounds: 3, reads: 500 }, everyNthRound: 3, countedReads: 2000, memoryReads: 10_000 };

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const versions = installPeers();
const certificate = createCertificate();
// One and the same trust for everybody, whatever option each has for it.
setDefaultCACertificates([certificate.certificate]);
try {
  const server = await startServer(certificate);
  const text = await measureAll(server, values.quick ? QUICK : FULL);
  server.close();
  process.stdout.write(text);
  // A tiny run shows that all works, not what it measures.
  if (!values.quick) writeFileSync(new URL("results.md", import.meta.url), text);
} finally {
  rmSync(certificate.folder, { recursive: true });
}
// Connections that peers have left open would keep the process alive.
process.exit();

async function measureAll(server: Server, { course, everyNthRound, countedReads, memoryReads }: Size): Promise<string> {
  const ours = interceptor("shared");
  const typed = client(certificate.certificate);
  // First, while the heap holds nothing of the peers.
  const heap = [await measureMemory(ours, server, memoryReads), await measureMemory(typed, server, memoryReads)];
  const counts = await countRequests(server, countedReads);
  const curl = curlContender(certificate.certificateFile);
  const { "www-authenticate": wwwAuthenticate, ...others } = versions ?? {};
  const fast = wwwAuthenticate === undefined ? [] : [wwwAuthenticateContender(wwwAuthenticate)];
  const peers = Object.entries(others).map(([name, version]) =>
    peerContender(name, version, certificate.certificateFile),
  );
  const slow = curl === undefined ? peers : [...peers, curl];
  const results = await race(
    [
      ...[plain, precomputed, ours, typed, ...fast].map((contender) => ({ contender, everyNthRound: 1 })),
      ...slow.map((contender) => ({ contender, everyNthRound })),
    ],
    server,
    course,
  );
  const resultOf = (name: string) => find(results, name);
  const compare = (name: string, base: string, pace: Pace): Standing =>
    standing(resultOf(name), resultOf(base), pace, course.reads);
  const all = (pace: Pace) => results.map(({ name }) => compare(name, precomputed.name, pace));
  const interceptorCost = "for a hash, the header and the handler";
  const clientCost = "for checking arguments and settings, repeats, a time limit and proxies";
  return renderResults({
    command: "npm run bench",
    undiciVersion: undiciVersion(),
    course,
    oneAtATime: all("oneAtATime"),
    sixteenAtATime: all("sixteenAtATime"),
    goals: [
      ...counts.map(judgeRequests),
      ...[
        { pace: "oneAtATime" as const, words: "one at a time", reach: 0.94 },
        { pace: "sixteenAtATime" as const, words: "16 at a time", reach: 0.9 },
      ].map(({ pace, words, reach }) =>
        judgeSpeed(
          `Speed of the interceptor to the limit, ${words}`,
          compare(ours.name, precomputed.name, pace),
          reach,
          interceptorCost,
        ),
      ),
      ...[
        { pace: "oneAtATime" as const, words: "one at a time" },
        { pace: "sixteenAtATime" as const, words: "16 at a time" },
      ].map(({ pace, words }) =>
        judgeSpeed(
          `Speed of the typed client to the interceptor, ${words}`,
          compare(typed.name, ours.name, pace),
          0.9,
          clientCost,
        ),
      ),
      ...heap.map(judgeMemory),
    ],
    remarks: [
      ...(versions === undefined ? ["The peers are missing: they could not be installed."] : []),
      ...(curl === undefined ? ["curl is missing: it is not installed."] : []),
    ],
  });
}

function find(results: readonly Result[], name: string): Result {
  const found = results.find((result) => result.name === name);
  if (found === undefined) throw new Error(`${name} has not run.`);
  return found;
}

function undiciVersion(): string {
  const file = createRequire(import.meta.url).resolve("undici/package.json");
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
