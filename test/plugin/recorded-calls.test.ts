import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Service, type ServiceSettings, startService } from "../../sdk/testing/index.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";
import { openDeployment } from "../deployment/open-deployment.ts";
import { configure, PRIVATE_KEY, PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { readCalls } from "../deployment/open-recording.ts";
import { type PropertyMap, type PropertyValue, parseProperties } from "../stand-in-engine/property-value.ts";
import type { ProviderMethod } from "../stand-in-engine/provider-client.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { startPlugin } from "./plugin-process.ts";

const installed = usePluginFolder();
const FIXTURE = path.join(import.meta.dirname, "fixtures/life-of-a-resource.json");

/** An operation of the engine, and what the service says meanwhile. */
interface Phase {
  readonly run: "preview" | "up" | "refresh" | "destroy";
  /** The settings of the first resource. */
  readonly settings?: ServiceSettings;
  /** The project of the second resource is unknown to the service. */
  readonly isDeleted?: boolean;
  readonly status?: number;
}

const LIFE: readonly Phase[] = [
  { run: "preview" },
  { run: "up" },
  { run: "preview", settings: { ...SETTINGS, logRotate: { sizeThresholdMB: 500 } }, isDeleted: true },
  { run: "up", settings: { ...SETTINGS, logRotate: { sizeThresholdMB: 500 } }, isDeleted: true },
  { run: "preview", status: 500 },
  { run: "refresh", status: 500 },
  { run: "refresh", settings: { logPath: "/data/monitoring-agent.log" } },
  { run: "destroy" },
];

interface RecordedPhase extends Phase {
  readonly calls: readonly RecordedCall[];
}

interface RecordedCall {
  readonly method: ProviderMethod;
  readonly request: PropertyMap;
  readonly response?: PropertyMap;
  readonly error?: string;
}

it("answers the calls of the recorded engine as it did", async () => {
  if (process.env["RECORD_ENGINE_CALLS"] === "1") await record(installed.path(), await openService());
  const phases: RecordedPhase[] = JSON.parse(await readFile(FIXTURE, "utf8"));
  expect(phases.map(({ calls: _, ...phase }) => phase)).toEqual(LIFE);
  // A call that fails in a preview is held for seconds.
  await Promise.all(phases.map(replay));
  const methods = new Set(phases.flatMap(({ calls }) => calls.map(({ method }) => method)));
  expect(methods).toEqual(new Set(["Configure", "Check", "Create", "Diff", "Update", "Read", "Delete"]));
});

async function replay({ calls, ...phase }: RecordedPhase): Promise<void> {
  const service = await openService();
  arrange(service, phase);
  const fingerprint = createHash("sha256").update(service.baseUrl).digest("hex").slice(0, 16);
  const plugin = await startPlugin(installed.module());
  onTestFinished(() => plugin.stop());
  for (const { method, request, response = {}, error } of calls) {
    const asked: PropertyMap = JSON.parse(JSON.stringify(request).replaceAll("<fingerprint>", fingerprint));
    // The service of this run has another address.
    if (method === "Configure") asked["args"] = { ...parseProperties(asked["args"]), baseUrl: service.baseUrl };
    const given = await plugin.call(method, asked).catch((thrown: Error) => thrown.message);
    expect(comparable(given), `${phase.run}: ${method}`).toEqual(comparable(error ?? response));
  }
}

async function openService(): Promise<Service> {
  const service = await startService({ privateKey: PRIVATE_KEY });
  onTestFinished(() => service.close());
  return service;
}

/** Writes the fixture: what the real engine asks a plugin that it finds on the PATH. */
async function record(folder: string, service: Service): Promise<void> {
  const found = findPulumi();
  if ("reason" in found) throw new Error(`cannot record: ${found.reason}`);
  const directory = path.join(folder, "program");
  await cp(path.join(import.meta.dirname, "programs/life"), directory, { recursive: true });
  const env = { PATH: installed.pathWith(found.path) };
  const deployment = await openDeployment({ directory, engine: "real", env });
  await configure(deployment, service, "life", {});
  const recorded: RecordedPhase[] = [];
  for (const [index, phase] of LIFE.entries()) {
    arrange(service, phase);
    const log = path.join(folder, `calls-${index}.json`);
    await deployment[phase.run]({ env: { PULUMI_DEBUG_GRPC: log } });
    const calls = readCalls(log, ["preview"]).filter(isOurs);
    recorded.push({ ...phase, calls: JSON.parse(JSON.stringify(calls).replaceAll("ResourceProvider/", "")) });
  }
  await deployment.close();
  await writeFile(FIXTURE, `${JSON.stringify(recorded, null, 2)}\n`);
}

function isOurs({ method, request }: PropertyMap): boolean {
  return (
    String(method).startsWith("ResourceProvider/") &&
    String(parseProperties(request)["urn"]).includes("agent-log-config")
  );
}

function arrange(service: Service, { settings = SETTINGS, isDeleted = false, status }: Phase): void {
  service.set(PROJECT_ID, "monitoring", settings);
  service.set("f".repeat(24), "backup", isDeleted ? undefined : { logPath: "/var/log/backup-agent.log" });
  service.respondWith(status === undefined ? undefined : { status });
}

/** Without times, ports, and fingerprints of addresses. */
function comparable(value: PropertyValue): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
  return JSON.parse(text.replaceAll(/("__service":)"[0-9a-f]{16}"/g, '$1"<fingerprint>"'));
}
