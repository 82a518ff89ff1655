import aliasMessages from "@pulumi/pulumi/proto/alias_pb.js";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { unknownValue } from "../stand-in-engine/property-value.ts";
import { usePluginFolder } from "./plugin-folder.ts";
import { type PluginProcess, startPlugin } from "./plugin-process.ts";
import { startMonitor, startMonitorOf } from "./start-monitor.ts";

// What fleets of the plugin have in common with those of programs is in test/program/agent-log-configs.test.ts.

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const FLEET = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";
const urnOf = (index: number) =>
  `urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs$agent-log-config:index:AgentLogConfig::fleet-${id(index)}-monitoring`;
const ARGS = { projectIds: [1, 2, 3].map(id), agents: ["monitoring"] };

const installed = usePluginFolder();
let plugin: PluginProcess;
let service: Service;

beforeAll(async () => {
  plugin = await startPlugin(installed.module());
});

afterAll(() => plugin.stop());

beforeEach(async () => {
  service = await startService();
  onTestFinished(() => service.close());
  for (const index of [1, 2, 3]) service.set(id(index), "monitoring", { logPath: `/log/${index}` });
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  await plugin.configure({ baseUrl: service.baseUrl, ...key, allowHttp: "true", maxRetries: 0 });
});

/** The engine in a preview of a new stack, and its request. */
async function engine() {
  const monitor = await startMonitorOf(plugin);
  return { ...monitor, request: new messages.ConstructRequest().setMonitorendpoint(monitor.address).setDryrun(true) };
}

it("reads each project once, the children's checks included, and registers its output", async () => {
  const { request, outputs } = await engine();
  const constructed = await plugin.construct(ARGS, request);
  expect(constructed.urn).toBe(FLEET);
  expect(outputs).toEqual([constructed.outputs]);
  const reads = () => service.requests.filter(({ status }) => status === 200).length;
  expect(reads()).toBe(3);
  // What was read is used once: a later check reads itself.
  await plugin.check({ projectId: id(1), agent: "monitoring" }, {}, urnOf(1));
  expect(reads()).toBe(4);
});

it("does not give a child what was read for another project", async () => {
  const { address } = await startMonitor((urn, inputs) => plugin.check({ ...inputs, projectId: id(3) }, {}, urn));
  const request = new messages.ConstructRequest().setMonitorendpoint(address);
  const { outputs } = await plugin.construct({ ...ARGS, projectIds: [id(1)] }, request);
  expect(outputs["configs"]).toMatchObject([{ logPath: "/log/3" }]);
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

it("compares the others before a child fails, and says nothing itself", async () => {
  const { request, registered, outputs, ended } = await engine();
  for (const index of [1, 3]) service.set(id(index), "monitoring", undefined);
  const fleet = plugin.construct(ARGS, request);
  expect(await ended).toMatch(/there is no such project.* The same applies to fleet-\S+[13]-monitoring\.$/);
  expect(registered).toHaveLength(4);
  // The engine cancels what is left when a run has failed.
  await plugin.cancel();
  expect((await fleet).outputs).toEqual({ configs: unknownValue });
  expect(outputs).toEqual([]);
});

it("records all that can be recorded, and fails if the engine goes on after a child has failed", async () => {
  const { address, outputs, registered } = await startMonitor(
    async (urn, inputs) => {
      if (urn === urnOf(2)) throw new Error("it fails");
      return plugin.check(inputs, {}, urn);
    },
    { goesOn: true },
  );
  const fleet = plugin.construct(ARGS, new messages.ConstructRequest().setMonitorendpoint(address));
  await expect(fleet).rejects.toThrow(`Its child 'fleet-${id(2)}-monitoring' has failed.`);
  expect([registered.length, outputs]).toEqual([4, []]);
});

it("ends at once without a word when it is cancelled", async () => {
  service.failNext(...Array(3).fill({ delaySeconds: 60 }));
  const { request, registered } = await engine();
  const fleet = plugin.construct(ARGS, request);
  await vi.waitUntil(() => service.requests.length > 1);
  await plugin.cancel();
  expect((await fleet).outputs).toEqual({ configs: unknownValue });
  expect(registered).toHaveLength(1);
});
