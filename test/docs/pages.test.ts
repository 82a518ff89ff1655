import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { openDeployment } from "../deployment/open-deployment.ts";
import { configure, ENGINE, PRIVATE_KEY, PROJECT_ID, SETTINGS, startKnownService } from "../deployment/open-program.ts";
import { copyExample } from "../examples/copy-example.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";

/** The programs of the pages by the names of their modules. What imports another entry, or Vitest, runs without an engine. */
const programs = [...PAGES].flatMap(([page, text]) =>
  fencesIn(text, "ts")
    .filter((code) => !/"(?:pulumi-agent-log-config\/|vitest")/.test(code))
    // The stand-in engine adopts nothing.
    .filter((code) => ENGINE === "real" || !code.includes("AgentLogConfig.get("))
    .map((code, index) => ({ name: `${path.basename(page, ".md").toLowerCase()}_${index}`, code })),
);

// One program has the modules of all pages, so their resources have different names.
it("previews the programs of the pages without a warning", async (context) => {
  const directory = await copyExample(context, "read-settings");
  const index = programs.map(({ name }) => `export * as ${name} from "./${name}.ts";`).join("\n");
  for (const { name, code } of [...programs, { name: "index", code: index }]) {
    await writeFile(path.join(directory, `${name}.ts`), code);
  }
  const service = await startKnownService();
  for (const projectId of new Set([...PAGES.values()].join().match(/\b[0-9a-f]{24}\b/g))) {
    for (const agent of ["monitoring", "backup"] as const) service.set(projectId, agent, SETTINGS);
  }
  const deployment = await openDeployment({ directory, engine: ENGINE });
  context.onTestFinished(() => deployment.close());
  const values = { projectId: PROJECT_ID, westBaseUrl: service.baseUrl };
  await configure(deployment, service, "read-settings", values);
  await deployment.setConfig("read-settings:westPrivateKey", PRIVATE_KEY, { secret: true });
  const { ok, text } = await deployment.preview();
  expect(text).not.toMatch(/warning|error/);
  expect(ok).toBe(true);
  expect(programs.length).toBeGreaterThan(7);
});
