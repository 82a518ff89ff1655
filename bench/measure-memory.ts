import { readFile, rm } from "node:fs/promises";
import path from "node:path";

/** The environment in which processes of Node.js leave their peak memory in a file, and what reads that file. */
export function measureMemory(folder: string) {
  const file = path.join(folder, "peaks");
  const program = `import{appendFileSync}from"node:fs";process.on("exit",()=>appendFileSync(${JSON.stringify(file)},process.resourceUsage().maxRSS+"\\n"))`;
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` },
    /** Returns the largest peak while this runs, in megabytes. */
    peakMB: async (run: () => Promise<void>) => {
      await rm(file, { force: true });
      await run();
      const peaks = (await readFile(file, "utf8")).split("\n").map(Number);
      return Math.round(Math.max(...peaks) / 1000);
    },
  };
}
