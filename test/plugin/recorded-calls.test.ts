import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundlePlugin } from "../../plugin/bundle.ts";
import { makePlugin } from "../../plugin/make-plugin.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import type { Deployment } from "../engine/deployment.ts";
import { findPulumi } from "../engine/find-pulumi.ts";
import { openDeployment } from "../engine/open-deployment.ts";
import { configure, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../engine/program.ts";
import { isMap, type PropertyMap, type PropertyValue, withoutSecrets } from "../engine/property-value.ts";
import { readCalls } from "../engine/recording.ts";
import { type PluginProcess, startPlugin } from "./plugin-process.ts";

const FIXTURE = path.join(import.meta.dirname, "fixtures/life-of-a-resource.json");

it("answers the calls of the recorded engine as it did", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "recorded-"));
  const service = await startService({ privateKey: PRIVATE_KEY });
  onTestFinished(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  if (process.env["RECORD_ENGINE_CALLS"] === "1") await record(folder, service);
  const recording: RecordedCall[] = JSON.parse(await readFile(FIXTURE, "utf8"));
  const calls = recording.filter(({ method }) => method.startsWith("ResourceProvider/"));
  await bundlePlugin(path.join(folder, "plugin.cjs"));
  const plugin = await startPlugin(path.join(folder, "plugin.cjs"), {});
  onTestFinished(() => plugin.stop());
  for (const call of calls) {
    setAsRecorded(service, call);
    expect(comparable(await answer(plugin, service, call)), call.method).toEqual(comparable(call.response ?? {}));
  }
  expect(new Set(calls.map(({ method }) => path.basename(method)))).toEqual(
    new Set(["Configure", "Check", "Create", "Diff", "Update", "Read", "Delete"]),
  );
});

interface RecordedCall {
  readonly method: string;
  readonly request: PropertyMap;
  readonly response?: PropertyMap;
}

/** Writes the fixture: what the real engine asks a plugin that it finds on the PATH. */
async function record(folder: string, service: Service): Promise<void> {
  const found = findPulumi();
  if ("reason" in found) throw new Error(`cannot record: ${found.reason}`);
  const directory = path.join(folder, "program");
  await cp(path.join(import.meta.dirname, "../../examples/yaml"), directory, { recursive: true });
  await makePlugin(path.join(folder, "plugins"));
  const PATH = [path.join(folder, "plugins"), path.dirname(process.execPath), found.path].join(path.delimiter);
  const log = path.join(folder, "calls.json");
  const deployment = await openDeployment({ directory, engine: "real", env: { PATH, PULUMI_DEBUG_GRPC: log } });
  await liveThrough(deployment, service);
  await deployment.close();
  await writeFile(FIXTURE, `${JSON.stringify(readCalls(log, ["preview"]), null, 2)}\n`);
}

async function liveThrough(deployment: Deployment, service: Service): Promise<void> {
  service.set(PROJECT_ID, "monitoring", SETTINGS);
  service.set(PROJECT_ID, "backup", { logPath: "/var/log/backup-agent.log" });
  await configure(deployment, service, "yaml", { projectId: PROJECT_ID });
  await deployment.preview();
  await deployment.up();
  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500 } });
  await deployment.preview();
  await deployment.up();
  service.set(PROJECT_ID, "monitoring", { logPath: "/data/monitoring-agent.log" });
  await deployment.refresh();
  await deployment.destroy();
}

/** The service had what was read in this call. */
function setAsRecorded(service: Service, { response = {} }: RecordedCall): void {
  const inputs = withoutSecrets(response["inputs"] ?? null);
  if (isMap(inputs)) service.set(PROJECT_ID, "monitoring", inputs);
}

async function answer(
  plugin: PluginProcess,
  service: Service,
  { method, request }: RecordedCall,
): Promise<PropertyMap> {
  const map = (key: string) => (isMap(request[key]) ? request[key] : {});
  const [id, preview] = [String(request["id"]), request["preview"] === true];
  switch (method) {
    case "ResourceProvider/Configure":
      await plugin.configure({ ...map("args"), baseUrl: service.baseUrl });
      return {};
    case "ResourceProvider/Check": {
      const { inputs, failures } = await plugin.check(map("news"), map("olds"));
      return failures.length === 0 ? { inputs } : { inputs, failures };
    }
    case "ResourceProvider/Diff": {
      const { changes, replaces } = await plugin.diff(map("oldInputs"), map("news"));
      expect(replaces).toEqual([]);
      return changes === "none" ? { changes: "DIFF_NONE" } : {};
    }
    case "ResourceProvider/Create": {
      const created = await plugin.create(map("properties"), preview);
      return { ...(created.id === "" ? {} : { id: created.id }), properties: created.outputs };
    }
    case "ResourceProvider/Update":
      return { properties: await plugin.update(map("olds"), map("news"), preview) };
    case "ResourceProvider/Read": {
      const { id: foundId, inputs, outputs } = await plugin.read(id, map("properties"));
      return { id: foundId, inputs, properties: outputs };
    }
    default:
      await plugin.delete(id);
      return {};
  }
}

/** Without times, and fingerprints of addresses. */
function comparable(value: PropertyValue): unknown {
  const text = JSON.stringify(value).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>");
  return JSON.parse(text.replaceAll(/("__service":)"[0-9a-f]{16}"/g, '$1"<fingerprint>"'));
}
