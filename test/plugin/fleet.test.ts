import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { bundlePlugin } from "../../plugin/bundle.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { type PropertyMap, secret, unknownValue } from "../engine/property-value.ts";
import { type PluginProcess, startEngineLog, startPlugin } from "./plugin-process.ts";
import { startMonitor } from "./start-monitor.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const FLEET = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";
const urnOf = (index: number) =>
  `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs$agent-log-config:index:AgentLogConfig::fleet-${id(index)}-monitoring`;
const ARGS = { projectIds: [1, 2, 3].map(id), agents: ["monitoring"] };

let folder: string;
let plugin: PluginProcess;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plugin-"));
  await bundlePlugin(path.join(folder, "plugin.cjs"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  service = await startService();
  plugin = await startPlugin(path.join(folder, "plugin.cjs"), {});
  onTestFinished(async () => {
    await plugin.stop();
    await service.close();
  });
  for (const index of [1, 2, 3]) service.set(id(index), "monitoring", { logPath: `/log/${index}` });
  const settings = { publicKey: "publickey", privateKey: secret("private-key-0001"), allowHttp: "true", maxRetries: 0 };
  await plugin.configure({ baseUrl: service.baseUrl, ...settings });
});

/** What the engine asks the plugin for each child of a fleet, in a preview of a new stack or of one that has records. */
async function engine(records: Readonly<Record<string, PropertyMap>> = {}) {
  const checked: Record<string, readonly string[]> = {};
  const monitor = await startMonitor(async (urn, inputs) => {
    const olds = records[urn];
    const { inputs: news, failures } = await plugin.check(inputs, olds ?? {}, urn);
    checked[urn] = failures;
    if (olds === undefined) return (await plugin.create(news, true, urn)).outputs;
    const { changes } = await plugin.diff(olds, news, { ...olds, lastReadAt: "2026-01-01" }, urn);
    return changes === "none" ? { ...olds, lastReadAt: "2026-01-01" } : plugin.update(olds, news, true, urn);
  });
  const request = new messages.ConstructRequest().setMonitorendpoint(monitor.address);
  return { ...monitor, request, checked };
}

it("reads each project once, the children's checks included", async () => {
  const { request, registered, outputs } = await engine();
  const constructed = await plugin.construct(ARGS, request);
  expect(constructed.urn).toBe(FLEET);
  expect(constructed.outputs["configs"]).toMatchObject([1, 2, 3].map((index) => ({ logPath: `/log/${index}` })));
  expect(outputs).toEqual([constructed.outputs]);
  expect(registered).toHaveLength(4);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 200, 200]);
  // What was read is used once: a later check reads itself.
  await plugin.check({ projectId: id(1), agent: "monitoring" }, {}, urnOf(1));
  expect(service.requests).toHaveLength(5);
});

it("does not give a child what was read for another project", async () => {
  const { address } = await startMonitor(async (urn, inputs) => {
    const { inputs: news } = await plugin.check({ ...inputs, projectId: id(3) }, {}, urn);
    expect(news["logPath"]).toBe("/log/3");
    return (await plugin.create(news, true, urn)).outputs;
  });
  await plugin.construct({ ...ARGS, projectIds: [id(1)] }, new messages.ConstructRequest().setMonitorendpoint(address));
});

it("passes on what the program gave beside the arguments, as the SDKs' own components do", async () => {
  const { request, registered } = await engine();
  request.setParent("urn:pulumi:dev::p::my:Group::group").setProtect(true).setRetainondelete(true);
  request.setAliasesList([new aliasMessages.Alias().setUrn("urn:pulumi:dev::p::my:Old::fleet")]);
  request.setDependenciesList(["urn:pulumi:dev::p::my:Other::a"]).setDeletedwith("urn:pulumi:dev::p::my:Other::d");
  request.getProvidersMap().set("agent-log-config", "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1");
  request.getProvidersMap().set("other", "urn:pulumi:dev::p::pulumi:providers:other::x::2");
  const inputDependencies = new messages.ConstructRequest.PropertyDependencies().setUrnsList([
    "urn:pulumi:dev::p::my:Other::b",
  ]);
  request.getInputdependenciesMap().set("projectIds", inputDependencies);
  await plugin.construct({ ...ARGS, projectIds: [id(1)] }, request);
  const [fleet, child] = registered.map((each) => ({
    ...each.toObject(),
    providers: [...each.getProvidersMap().entries()],
  }));
  const dependenciesList = ["urn:pulumi:dev::p::my:Other::a", "urn:pulumi:dev::p::my:Other::b"];
  expect(fleet).toMatchObject({
    custom: false,
    parent: "urn:pulumi:dev::p::my:Group::group",
    protect: true,
    retainondelete: true,
    aliasesList: [{ urn: "urn:pulumi:dev::p::my:Old::fleet" }],
    deletedwith: "urn:pulumi:dev::p::my:Other::d",
    dependenciesList,
    providers: [
      ["agent-log-config", "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1"],
      ["other", "urn:pulumi:dev::p::pulumi:providers:other::x::2"],
    ],
  });
  expect(child).toMatchObject({
    custom: true,
    name: `fleet-${id(1)}-monitoring`,
    type: "agent-log-config:index:AgentLogConfig",
    parent: expect.stringContaining("::my:Group$agent-log-config:index:AgentLogConfigs::fleet"),
    provider: "urn:pulumi:dev::p::pulumi:providers:agent-log-config::west::1",
    aliasesList: [{ spec: { type: "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig" } }],
    dependenciesList,
    version: "",
  });
});

it("compares the others before it fails, and names each that can't be read", async () => {
  const { request, checked, registered } = await engine();
  for (const index of [1, 3]) service.set(id(index), "monitoring", undefined);
  await expect(plugin.construct(ARGS, request)).rejects.toThrow(
    new RegExp(
      `^2 of 3 fail\\.\n2 fail alike: ${id(1)}/monitoring, ${id(3)}/monitoring\\. Can't .* there is no such project`,
    ),
  );
  expect(checked).toEqual({ [urnOf(2)]: [] });
  expect(registered).toHaveLength(2);
});

it("fails with the reason alone where nothing can be read", async () => {
  service.rotateKey("another");
  const { request, registered } = await engine();
  await expect(plugin.construct(ARGS, request)).rejects.toThrow(
    /^Can't read .*#err_wrong_key\. `npx [^`]+` says [^.]+\.$/,
  );
  expect(registered).toHaveLength(1);
});

it("shows one warning in an outage, and fails for what has no record", async () => {
  const { address, warnings, errors } = await startEngineLog();
  await plugin.attach(address);
  const first = await engine();
  await plugin.construct({ ...ARGS, whenUnavailable: "useRecorded" }, first.request);
  const recorded = async (index: number) => {
    const { inputs } = await plugin.check({
      projectId: id(index),
      agent: "monitoring",
      whenUnavailable: "useRecorded",
    });
    return [urnOf(index), inputs] as const;
  };
  const records = Object.fromEntries([await recorded(1), await recorded(2)]);
  service.respondWith({ status: 503 });
  const { request, checked } = await engine(records);
  const fleet = plugin.construct({ ...ARGS, whenUnavailable: "useRecorded" }, request);
  await expect(fleet).rejects.toThrow(new RegExp(`^1 of 3 fail\\.\n${id(3)}/monitoring: Can't .*#err_unavailable\\.$`));
  expect(warnings).toEqual([
    {
      urn: FLEET,
      message: expect.stringMatching(
        /^2 of 3 use the recorded settings, of which the oldest were first read \d+ days ago/,
      ),
    },
  ]);
  expect(errors).toEqual([]);
  expect(Object.keys(checked)).toHaveLength(3);
});

it("makes all of it secret where a project is, and unknown where one is not known yet", async () => {
  const { request, registered, outputs } = await engine();
  await plugin.construct({ ...ARGS, projectIds: [id(1), secret(id(2)), unknownValue] }, request);
  expect(registered.map((each) => each.getName())).toEqual([
    "fleet",
    ...[1, 2].map((index) => `fleet-${id(index)}-monitoring`),
  ]);
  expect(outputs).toEqual([{ configs: unknownValue }]);
  const [, child] = registered.map((each) => each.getObject()?.toJavaScript());
  expect(child?.["projectId"]).toMatchObject({ value: id(1) });
});

it("ends at once when it is cancelled", async () => {
  service.failNext(...Array(3).fill({ delaySeconds: 60 }));
  const { request, registered } = await engine();
  const fleet = plugin.construct(ARGS, request).catch((error: Error) => error.message);
  await vi.waitUntil(() => service.requests.length > 1);
  await plugin.cancel();
  expect(await fleet).toBe("The read was cancelled.");
  expect(registered).toHaveLength(1);
});
