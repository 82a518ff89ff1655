import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

// Runs all scripts of package.json that begin with "lint:" at once, which uses both cores of a small machine.

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));

// attw packs, and packing would build dist/ anew while the others read it.
const env = { ...process.env, npm_config_ignore_scripts: "true" };

async function run(script: string): Promise<void> {
  const start = Date.now();
  const child = spawn(process.execPath, ["--run", script], { stdio: ["ignore", "pipe", "pipe"], env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (printed += text));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? "ok" : "FAILED"}  ${script} (${seconds} s)\n${code === 0 ? "" : printed}`);
  if (code !== 0) process.exitCode = 1;
}

await Promise.all(
  Object.keys(scripts)
    .filter((name) => name.startsWith("lint:"))
    .map(run),
);
