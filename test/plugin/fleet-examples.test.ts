import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { configure, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { LANGUAGES, LIMIT, openProgram } from "./open-program.ts";
import { usePluginFolder } from "./plugin-folder.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const INDEXES = Array.from({ length: 20 }, (_, index) => index);
const PROJECTS = Object.fromEntries(INDEXES.map((index) => [`shop-${index}`, id(index)]));
const installed = usePluginFolder();

/** What the example of a language needs to run in this test. */
const CHANGES = {
  yaml: async (directory: string) => {
    const file = path.join(directory, "Pulumi.yaml");
    await writeFile(
      file,
      (await readFile(file, "utf8")).replace("default: {}", `default: ${JSON.stringify(PROJECTS)}`),
    );
  },
  // The SDK is not in a virtual environment of the example's own.
  python: (directory: string) => writeFile(path.join(directory, "Pulumi.yaml"), "name: python\nruntime: python\n"),
  go: async () => {},
};

it.for(LANGUAGES)("shows the drift and the failures of 20 projects in %s", LIMIT, async (language, context) => {
  const source = path.join(import.meta.dirname, "../../examples", language);
  const { deployment, service } = await openProgram(context, language, source, installed, CHANGES[language]);
  const named = language === "yaml" ? {} : { projects: PROJECTS };
  await configure(deployment, service, language, { projectId: PROJECT_ID, ...named });
  service.set(PROJECT_ID, "monitoring", SETTINGS);
  for (const projectId of INDEXES.map(id)) service.set(projectId, "monitoring", { logPath: "/var/log/agent.log" });
  const { ok, text: recorded } = await deployment.up();
  expect(ok, recorded).toBe(true);

  for (const index of [3, 7, 11]) service.set(id(index), "monitoring", undefined);
  for (const index of [5, 9]) service.set(id(index), "monitoring", { logPath: "/drifted" });
  const { exitCode, steps, text } = await deployment.preview();
  expect(exitCode).toBe(1);
  // A preview of the plugin has a step without a difference for a resource that fails.
  const drifted = steps.filter(({ differences = [] }) => differences.length > 0);
  expect(drifted.sort((a, b) => a.name.localeCompare(b.name))).toEqual(
    [5, 9].map((index) => ({
      op: "update",
      name: `fleet-shop-${index}-monitoring`,
      differences: ['logPath: "/var/log/agent.log" => "/drifted"'],
    })),
  );
  for (const index of [3, 7, 11]) expect(text).toContain(`fleet-shop-${index}-monitoring`);
  expect(text.match(/there is no such project/g)).toHaveLength(1);

  service.respondWith({ status: 503 });
  const outage = await deployment.preview();
  const [warning = ""] = outage.text.match(/warning: AgentLogConfig .* use the recorded settings.*/g) ?? [];
  for (const index of INDEXES) expect(warning).toContain(`fleet-shop-${index}-monitoring`);
});
