// Compares pulumi-agent-log-config/digest and its client with other Digest clients: npm run bench [-- --quick]
import { readFileSync } from "node:fs";
import { setDefaultCACertificates } from "node:tls";
import { parseArgs } from "node:util";
import undici from "undici/package.json" with { type: "json" };
import { client, curl, interceptor, PACES, type Pace, plain, precomputed, wwwAuthenticate } from "./contender.ts";
import { countFreshRead, countRequests, type Goal, measureHeap } from "./goal.ts";
import { race, type Standing } from "./race.ts";
import { startServer } from "./start-server.ts";
import { writeResults } from "./write-results.ts";

// A run makes more reads than a nonce is good for.
const FULL = { rounds: 40, readsPerRound: 2000, countedReads: 5000, heapReads: 100_000 };
const QUICK = { rounds: 10, readsPerRound: 500, countedReads: 2000, heapReads: 10_000 };

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const size = values.quick ? QUICK : FULL;
const server = await startServer();
// All contenders trust the certificate in the same way, whatever option each has for it.
setDefaultCACertificates([readFileSync(server.certificateFile, "utf8")]);
try {
  // First, while the heap holds nothing of the other contenders
  const heap: Goal[] = [];
  for (const open of [interceptor, client]) heap.push(await measureHeap(open(server), size.heapReads));
  const counts = [...(await countFreshRead(server)), ...(await countRequests(server, size.countedReads))];
  const limit = precomputed(server);
  const others = [interceptor(server), client(server), wwwAuthenticate(server), curl(server)];
  const contenders = [plain(server), limit, ...others].filter((contender) => contender !== undefined);
  const standings = await race(contenders, limit, server, size.rounds, size.readsPerRound);
  const sections = {
    "Requests and memory": goalTable([...counts, ...heap]),
    "Reads behind HTTP Digest": render(standings),
  };
  for (const text of Object.values(sections)) process.stdout.write(`${text}\n`);
  // A quick run shows that the benchmark works; its figures are rough.
  if (!values.quick) writeResults(sections);
} finally {
  server.close();
}

function goalTable(goals: readonly Goal[]): string {
  return `Written by \`npm run bench\`; requests are counted at the server.

| | measured | to reach | |
|---|--:|--:|---|
${goals.map(({ what, measured, reach, reached }) => `| ${what} | ${measured} | ${reach} | ${verdict(reached)} |`).join("\n")}
`;
}

function render(standings: readonly Standing[]): string {
  return `Written by \`npm run bench\` with undici ${undici.version}.

A server in a process of its own responds over TLS on loopback, with connections kept open and Digest as in a Java servlet
container: a nonce is good for 1,023 requests and 60 seconds, and a count that was used is refused. Every read ends with the
parsed JSON of some 500 bytes, or else the benchmark fails. The contenders run one after another in ${size.rounds} rounds of ${size.readsPerRound} reads at
each pace, after a first round and short warm-ups that are not counted. Speeds, CPU times and requests are medians of the
rounds; ratios are medians of each round's own ratio to the limit. The CPU time is that of the contender's process, and it is
steadier than the speed on a machine that does other work. Requests are counted at the server. Contenders on undici share one
process and stay open for all rounds, as in a program. curl is one process for all reads of a run, with its start, and parses
no JSON.

${PACES.map((pace) => `### ${pace === 1 ? "One read" : `${pace} reads`} at a time\n\n${table(standings, pace)}\n`).join("\n")}`;
}

function table(standings: readonly Standing[], pace: Pace): string {
  const figure = (value: number, digits: number) => (Number.isNaN(value) ? "" : value.toFixed(digits));
  const ofPace = standings.filter((each) => each.pace === pace);
  const rows = ofPace.map(({ contender: { name, goals }, ...each }) => [
    name,
    figure(each.readsPerSecond, 0),
    figure(each.speedRatio, 3),
    goalOf(goals?.[pace], each.speedRatio),
    figure(each.cpuMicrosecondsPerRead, 1),
    figure(each.cpuRatio, 3),
    figure(each.requestsPerRead, 3),
  ]);
  const head = ["", "reads/s", "of the limit", "to reach", "CPU µs per read", "of the limit", "requests per read"];
  const lines = [head, ["---", ...Array.from({ length: 6 }, () => "--:")], ...rows];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function goalOf(goal: number | undefined, speedRatio: number): string {
  return goal === undefined ? "" : `${goal.toFixed(2)} ${verdict(speedRatio >= goal)}`;
}

function verdict(reached: boolean): string {
  return reached ? "reached" : "**missed**";
}
