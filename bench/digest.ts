// Compares pulumi-agent-log-config/digest and its client with other Digest clients: npm run bench [-- --quick]
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { setDefaultCACertificates } from "node:tls";
import { parseArgs } from "node:util";
import { z } from "zod";
import { countRequests, type Goal, judgeSpeed, measureMemory } from "./goals.ts";
import { curlContender, installPeers, peerContender } from "./peer-contenders.ts";
import { type Course, PACES, type Pace, race, type Standing, standing } from "./race.ts";
import { createCertificate, type Server, startServer } from "./start-server.ts";
import { client, interceptor, plain, precomputed, wwwAuthenticate } from "./undici-contenders.ts";

interface Size {
  readonly course: Course;
  /** The slow contenders take part in every nth round. */
  readonly everyNthRound: number;
  readonly countedReads: number;
  readonly memoryReads: number;
}

// A run makes more reads than a nonce is good for, and more than a client survives that writes the nonce count in decimal.
const FULL: Size = { course: { rounds: 40, reads: 2000 }, everyNthRound: 14, countedReads: 5000, memoryReads: 100_000 };
const QUICK: Size = { course: { rounds: 10, reads: 500 }, everyNthRound: 10, countedReads: 2000, memoryReads: 10_000 };

const WORDS: Readonly<Record<Pace, string>> = { oneAtATime: "one at a time", sixteenAtATime: "16 at a time" };

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const versions = installPeers();
const certificate = createCertificate();
// All contenders trust the certificate in the same way, whatever option each has for it.
setDefaultCACertificates([certificate.certificate]);
try {
  const server = await startServer(certificate);
  const text = await measureAll(server, values.quick ? QUICK : FULL);
  server.close();
  process.stdout.write(text);
  // A quick run shows that the benchmark works; its figures are rough.
  if (!values.quick) writeFileSync(new URL("results.md", import.meta.url), text);
} finally {
  rmSync(certificate.folder, { recursive: true });
}
// Connections that peers have left open would keep the process alive.
process.exit();

async function measureAll(server: Server, { course, everyNthRound, countedReads, memoryReads }: Size): Promise<string> {
  const ours = interceptor("shared");
  const typed = client(certificate.certificate);
  // First, while the heap holds nothing of the other contenders
  const memory = [await measureMemory(ours, server, memoryReads), await measureMemory(typed, server, memoryReads)];
  const counts = await countRequests(server, countedReads);
  const { "www-authenticate": wwwVersion, ...others } = versions ?? {};
  const www = wwwVersion === undefined ? undefined : wwwAuthenticate(wwwVersion);
  const curl = curlContender(certificate.certificateFile);
  const slow = Object.entries(others).map(([name, version]) =>
    peerContender(name, version, certificate.certificateFile),
  );
  const results = await race(
    [
      ...[plain, precomputed, ours, typed, ...(www ? [www] : [])].map((contender) => ({ contender, everyNthRound: 1 })),
      ...[...slow, ...(curl ? [curl] : [])].map((contender) => ({ contender, everyNthRound })),
    ],
    server,
    course,
  );
  const compare = (name: string, base: string, pace: Pace): Standing => {
    const [result, comparedWith] = [name, base].map((wanted) => results.find((each) => each.name === wanted));
    if (result === undefined || comparedWith === undefined) throw new Error(`${name} or ${base} has not run.`);
    return standing(result, comparedWith, pace, course.reads);
  };
  const judge = (what: string, name: string, base: string, reach: Record<Pace, number>, where: string) =>
    PACES.map((pace) => judgeSpeed(`${what}, ${WORDS[pace]}`, compare(name, base, pace), reach[pace], where));

  const signing = "for a hash, the header and the handler";
  const reading = "for the credentials, checked arguments and settings, repeats, a time limit and proxies";
  const even = { oneAtATime: 1, sixteenAtATime: 1 };
  const goals = [
    ...counts,
    ...judge(
      "Interceptor to the limit",
      ours.name,
      precomputed.name,
      { oneAtATime: 0.95, sixteenAtATime: 0.9 },
      signing,
    ),
    ...judge("Client to the limit", typed.name, precomputed.name, { oneAtATime: 0.93, sixteenAtATime: 0.85 }, reading),
    ...(www
      ? [
          ...judge("Interceptor to www-authenticate", ours.name, www.name, even, signing),
          ...judge("Client to www-authenticate", typed.name, www.name, even, reading),
        ]
      : []),
    ...memory,
  ];
  const remarks = [
    ...(versions === undefined ? ["The peers are missing: they could not be installed."] : []),
    ...(curl === undefined ? ["curl is missing: it is not installed."] : []),
  ];
  const tables = PACES.map((pace) => table(results.map(({ name }) => compare(name, precomputed.name, pace))));
  return render(course, tables, goals, remarks);
}

function render(
  { rounds, reads }: Course,
  tables: readonly string[],
  goals: readonly Goal[],
  remarks: readonly string[],
) {
  const processor = cpus();
  return `# Reads behind HTTP Digest

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, undici ${undiciVersion()}, ${processor.length} × ${processor[0]?.model.trim() ?? "unknown processor"}.

A server in a process of its own responds over TLS on loopback, with connections kept open and Digest as in a Java servlet
container: a nonce is good for 1,023 requests and 60 seconds, and a count that was used is refused. Every read ends with the
parsed JSON of some 500 bytes. The contenders run one after another in ${rounds} rounds of ${reads} reads at each pace (the slow ones in
fewer rounds), after a first round and a short warm-up that are not counted. Speeds, CPU times and requests are medians of
the rounds; ratios are medians of each round's own ratio to the limit. The CPU time is that of the contender's process, and
it is steadier than the speed on a machine that does other work. Requests are counted at the server. A read that ends without
the settings is a failure and adds nothing to the speed. Contenders on undici 8 share one process and stay open for all rounds,
as in a program. Each other peer has a new process for every run, because urllib changes sockets for all of its process. curl
is one process for all reads of a run, with its start, and parses no JSON.

${PACES.map((pace, index) => `## ${pace === "oneAtATime" ? "One read" : "16 reads"} at a time\n\n${tables[index]}\n`).join("\n")}
## What it must reach

| | measured | to reach | |
|---|--:|--:|---|
${goals.map(({ what, measured, reach, missed }) => `| ${what} | ${measured} | ${reach} | ${missed === undefined ? "reached" : `**missed** ${missed}`} |`).join("\n")}
${remarks.map((remark) => `\n${remark}\n`).join("")}`;
}

function table(standings: readonly Standing[]): string {
  const figure = (value: number, digits: number) => (Number.isNaN(value) ? "" : value.toFixed(digits));
  const rows = standings.map((each) =>
    [
      each.name,
      figure(each.readsPerSecond, 0),
      figure(each.ratio, 2),
      figure(each.cpuPerRead, 1),
      figure(each.cpuRatio, 2),
      figure(each.requestsPerRead, 3),
      each.failures === 0 ? "0" : `${each.failures} of ${each.reads}`,
    ].join(" | "),
  );
  const head = "| | reads/s | of the limit | CPU µs per read | of the limit | requests per read | failures |";
  return [head, "|---|--:|--:|--:|--:|--:|--:|", ...rows.map((row) => `| ${row} |`)].join("\n");
}

function undiciVersion(): string {
  const file = createRequire(import.meta.url).resolve("undici/package.json");
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8"))).version;
}
