import { cp } from "node:fs/promises";
import path from "node:path";
import { expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { configure, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { linkGoSdk, linkPythonSdk } from "./generate-sdk.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { requireHost } from "./require-host.ts";

/** The languages whose programs run on an engine. */
const LANGUAGES = ["yaml", "python", "go"] as const;
type Language = (typeof LANGUAGES)[number];

/** Go compiles Pulumi's SDK once, which takes minutes. */
const LIMIT = { timeout: 600_000 };
const EXAMPLES = path.join(import.meta.dirname, "../../examples");
const installed = usePluginFolder();

/** Makes the program of a language ready to run, and returns what it needs in its environment. */
const PREPARATIONS = {
  yaml: async () => ({}),
  python: (context: TestContext, _: string, folder: string) => linkPythonSdk(context, folder),
  go: async (context: TestContext, directory: string, folder: string) => {
    const go = await linkGoSdk(context, directory, folder);
    expect(await go("build", "-o", "program")).toMatchObject({ exitCode: 0 });
    return {};
  },
};

/**
 * Opens a copy of a program on the real engine, which finds the plugin, and starts a service for it.
 *
 * @param main a file to run in the place of the program's own
 */
async function openProgram(context: TestContext, language: Language, main?: string) {
  const { path: PATH } = requireHost(context, language);
  const directory = path.join(installed.path(), "programs", language);
  await cp(path.join(import.meta.dirname, "programs", language), directory, { recursive: true });
  if (main !== undefined) await cp(main, path.join(directory, path.basename(main)));
  const env = await PREPARATIONS[language](context, directory, installed.path());
  const deployment = await openRealDeployment(directory, { ...env, PATH: installed.pathWith(PATH) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  const service = await openService({ privateKey: PRIVATE_KEY });
  return { deployment, service };
}

const UNKNOWN_PROJECT = "f".repeat(24);
const NOT_SET = /warning: AgentLogConfig \w+\/\w+: logRotate\.numTotal is 9, but should not be set;/;
/** Lets the service have what the first update records, or what a person has made of it. */
function arrange(service: Service, isChanged = false): void {
  const monitoring = { ...SETTINGS, logRotate: { sizeThresholdMB: isChanged ? 500 : 1000 } };
  service.set(PROJECT_ID, "monitoring", monitoring);
  service.set(PROJECT_ID, "backup", { logPath: "/backup.log", logRotate: isChanged ? { numTotal: 9 } : {} });
  service.set(UNKNOWN_PROJECT, "backup", isChanged ? undefined : { logPath: "/deleted.log" });
}

it.for(LANGUAGES)("shows the life of records in %s", LIMIT, async (language, context) => {
  const { deployment, service } = await openProgram(context, language);
  await configure(deployment, service, "languages", {});
  const gate = () => deployment.run(["refresh", "--preview-only", "--run-program", "--expect-no-changes"]);

  arrange(service);
  const first = await deployment.preview();
  expect(first.text).toContain('monitoringLog: "/var/log/monitoring-agent.log"');
  expect(await deployment.up()).toMatchObject({ ok: true });
  const outputs = { backupLog: "/backup.log", deletedLog: "/deleted.log", westKey: "publickey" };
  expect(await deployment.outputs()).toMatchObject(outputs);
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });
  expect(await gate()).toMatchObject({ ok: true });

  arrange(service, true);
  const drift = await deployment.preview();
  expect(drift).toMatchObject({ exitCode: 1, steps: expect.arrayContaining(DRIFT) });
  expect(drift.steps).toHaveLength(DRIFT.length);
  expect(drift.text).toContain(`settings of project ${UNKNOWN_PROJECT} from`);
  expect(drift.text).toMatch(NOT_SET);
  const compared = await gate();
  expect(compared).toMatchObject({ exitCode: 7, steps: expect.arrayContaining(DRIFT) });
  expect(compared.text).toMatch(new RegExp(`Can't read .* ${UNKNOWN_PROJECT} .* AgentLogConfig deleted is gone\\.`));
  // Expectations are judged by the preview alone.
  expect(compared.text).not.toMatch(NOT_SET);
  const update = await deployment.run(["up", "--yes", "--skip-preview", "--continue-on-error"]);
  expect(update.exitCode).not.toBe(0);
  expect(update.text).toMatch(/ 2 updated\n/);

  service.respondWith(() => ({ status: 503 }));
  const outage = await deployment.refresh();
  expect(outage).toMatchObject({ exitCode: 1, steps: [] });
  expect(outage.text).toMatch(/warning: Can't read .*\(status 503.* uses the recorded settings\./);
  expect(outage.text).toMatch(
    /error: .*\(status 503, after 6 attempts\).* This applies to the resources (deleted, monitoring|monitoring, deleted)\.\n/,
  );
  service.respondWith(undefined);
  arrange(service);
  expect(await deployment.refresh()).toMatchObject({ ok: true, steps: expect.arrayContaining(DRIFT.map(undo)) });
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true });

  await deployment.setConfig("languages:agent", "other");
  const malformed = await deployment.preview();
  expect(malformed).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining('agent must be "monitoring" or "backup", not "other".'),
  });
  await deployment.unsetConfig("languages:agent");

  // The engine keeps what is secret in the form of ciphertext.
  expect(JSON.stringify(await deployment.exportState())).not.toMatch(/private-key|body-api-key/);
  service.respondWith(() => ({ status: 503 }));
  expect(await deployment.destroy()).toMatchObject({ ok: true });
  service.respondWith(undefined);
  const resource = ["agent-log-config:index:AgentLogConfig", "monitoring", `${PROJECT_ID}/monitoring`];
  expect(await deployment.run(["import", ...resource, "--yes", "--protect=false"])).toMatchObject({ ok: true });
  const { steps } = await deployment.preview();
  expect(steps.map(({ op, name }) => `${op} ${name}`).sort()).toEqual(
    ["deleted", "ignored", "watched", "west"].map((name) => `create ${name}`),
  );
});

it.for([
  ["python", "__main__.py"],
  ["go", "main.go"],
] as const)(
  "has an example of a fleet in %s whose list of paths stays the same",
  LIMIT,
  async ([language, file], context) => {
    const { deployment, service } = await openProgram(context, language, path.join(EXAMPLES, language, file));
    const numbers = [6, 2, 4, 1, 5, 3];
    const projects = Object.fromEntries(numbers.map((number) => [`project-${number}`, `${number}`.repeat(24)]));
    for (const number of numbers) service.set(`${number}`.repeat(24), "monitoring", { logPath: `/${number}.log` });
    arrange(service);
    await configure(deployment, service, "languages", { projectId: PROJECT_ID, projects });
    expect(await deployment.up()).toMatchObject({ ok: true });
    const fleetLogs = numbers.toSorted().map((number) => `/${number}.log`);
    expect(await deployment.outputs()).toMatchObject({ fleetLogs });
    for (let run = 0; run < 3; run += 1) {
      const { ok, text } = await deployment.preview({ expectNoChanges: true });
      expect(ok, text).toBe(true);
      // A changed output of the stack is no change for the exit code.
      expect(text).not.toContain("fleetLogs");
    }
  },
);

/** What a person has changed, except what the program ignores. */
const DRIFT = [
  { op: "update", name: "monitoring", differences: ["logRotate.sizeThresholdMB: 1000 => 500"] },
  { op: "update", name: "watched", differences: ["logRotate.numTotal: null => 9"] },
];

function undo({ differences, ...step }: (typeof DRIFT)[number]) {
  return { ...step, differences: differences.map((text) => text.replace(/: (.*) => (.*)/, ": $2 => $1")) };
}
