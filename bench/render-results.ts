import { cpus } from "node:os";
import type { Goal } from "./goal.ts";
import type { Course } from "./race.ts";
import type { Standing } from "./standing.ts";

export interface Report {
  readonly command: string;
  readonly undiciVersion: string;
  readonly course: Course;
  readonly oneAtATime: readonly Standing[];
  readonly sixteenAtATime: readonly Standing[];
  readonly goals: readonly Goal[];
  /** What a reader has to know about this run. */
  readonly remarks: readonly string[];
}

export function renderResults(report: Report): string {
  const { command, undiciVersion, course, oneAtATime, sixteenAtATime, goals, remarks } = report;
  const processor = cpus();
  return `# Reads behind HTTP Digest

Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, undici ${undiciVersion}, ${processor.length} × ${processor[0]?.model.trim() ?? "unknown processor"}.

A server in a process of its own answers over TLS on loopback, with connections kept open and Digest as a Java servlet
container does it: a nonce is good for 1,023 requests and 60 seconds, and a count that was used is refused. Every read ends
with the parsed JSON of some 500 bytes. The contenders run one after another in ${course.rounds} rounds of ${course.reads} reads (the slow ones in
fewer rounds), after a short warm-up that is not counted. Speeds and requests are medians of the rounds; ratios are medians of each
round's own ratio to the limit; requests are counted at the server. A read that ends without the settings is a failure and
adds nothing to the speed. What stands on undici 8 shares one process and is kept for all rounds, as a program keeps it; each
other peer has a new process for every run, because
urllib changes sockets for all of its process. curl is one process for all reads of a run, its start included, and parses no
JSON.

## One read at a time

${table(oneAtATime)}

## 16 reads at a time

${table(sixteenAtATime)}

## What it must reach

| | measured | to reach | |
|---|--:|--:|---|
${goals.map(({ what, measured, reach, missed }) => `| ${what} | ${measured} | ${reach} | ${missed === undefined ? "reached" : `**missed** ${missed}`} |`).join("\n")}
${remarks.map((remark) => `\n${remark}\n`).join("")}`;
}

function table(standings: readonly Standing[]): string {
  const rows = standings.map(
    ({ name, readsPerSecond, ratio, requestsPerRead, failures, reads }) =>
      `| ${name} | ${readsPerSecond.toFixed(0)} | ${ratio.toFixed(2)} | ${requestsPerRead.toFixed(3)} | ${failures === 0 ? "0" : `${failures} of ${reads}`} |`,
  );
  return ["| | reads/s | of the limit | requests per read | failures |", "|---|--:|--:|--:|--:|", ...rows].join("\n");
}
