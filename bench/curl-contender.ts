import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { Contender } from "./contender.ts";
import { CREDENTIALS } from "./credentials.ts";
import { pathOf } from "./start-server.ts";

/** `curl --digest`, one process for all reads of a run; undefined where it is not installed. */
export function curlContender(certificateFile: string): Contender | undefined {
  const version = curlVersion();
  if (version === undefined) return undefined;
  return {
    name: `curl --digest ${version}`,
    opensForEveryRun: true,
    async open(server) {
      return {
        async run(reads, atATime) {
          const start = performance.now();
          const { stdout } = await promisify(execFile)("curl", [
            ...["--silent", "--cacert", certificateFile, "--noproxy", "*", "--max-time", "30"],
            ...["--digest", "--user", `${CREDENTIALS.username}:${CREDENTIALS.password}`],
            ...["--output", "/dev/null", "--write-out", "%{http_code}\n"],
            ...(atATime === 1 ? [] : ["--parallel", "--parallel-max", String(atATime)]),
            // The fragment stays here, so that the server sees one and the same request.
            `${server.origin}${pathOf("shared")}#[1-${reads}]`,
          ]);
          const seconds = (performance.now() - start) / 1000;
          return { seconds, succeeded: stdout.split("\n").filter((status) => status === "200").length };
        },
        async close() {},
      };
    },
  };
}

function curlVersion(): string | undefined {
  try {
    return /^curl (\S+)/.exec(execFileSync("curl", ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}
