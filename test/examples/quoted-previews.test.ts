import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ID, skipWithout } from "../deployment/open-program.ts";
import { openExample } from "./open-example.ts";

const SHIPPING = { projectId: PROJECT_ID, windows: "false", folder: "/var/log/agents" };

it.for([
  { name: "read-settings", settings: { projectId: PROJECT_ID }, sizes: [1000, 500] },
  { name: "log-shipper", settings: SHIPPING, sizes: [1000, 500] },
  { name: "declared-vs-effective", settings: { projectId: PROJECT_ID }, sizes: [500, 1000] },
])("shows in the README of $name what a real preview prints", async ({ name, settings, sizes }, context) => {
  skipWithout(context, "real");
  const page = await readFile(path.join(import.meta.dirname, "../../examples", name, "README.md"), "utf8");
  const [, block = ""] = /^ {4}\$ pulumi preview.*\n((?: {4}.*\n)+)/m.exec(page) ?? [];
  // `...` leaves lines out, and headings differ with --diff.
  const lines = block.split("\n").map((line) => line.trim());
  const shown = lines.filter((line) => !/^(?:|\.\.\.|Diagnostics:|\S+ \(\w+\):)$/.test(line));
  expect(shown.length).toBeGreaterThan(0);

  const { deployment, service } = await openExample(context, name, settings);
  const set = (sizeThresholdMB = 0) => {
    const logPath = "/var/log/agents/monitoring-agent.log";
    service.set(PROJECT_ID, "monitoring", { logPath, logRotate: { sizeThresholdMB, timeThresholdHrs: 24 } });
  };
  service.set(PROJECT_ID, "backup", {
    logPath: "/var/log/agents/backup-agent.log",
    logRotate: { sizeThresholdMB: 1000 },
  });
  set(sizes[0]);
  const { ok, text: recorded } = await deployment.up();
  expect(ok, recorded).toBe(true);
  set(sizes[1]);
  const { text } = await deployment.preview();
  for (const line of shown) expect(text).toContain(line);
});
