import * as pulumi from "@pulumi/pulumi";
import { AGENT_LOG_CONFIG_TYPE } from "pulumi-agent-log-config";
import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
import { startService } from "pulumi-agent-log-config/testing";
import { expect, it, onTestFinished } from "vitest";
import { DiskAlarm } from "./disk-alarm.ts";

const projectId = "0123456789abcdef01234567";

/** Answers in the place of the service: every AgentLogConfig has these thresholds. */
function mockThresholds(logRotate: object): Promise<void> {
  return pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => ({
      id: name,
      state: type === AGENT_LOG_CONFIG_TYPE ? { ...inputs, logRotate } : inputs,
    }),
    call: () => ({}),
  });
}

it("leaves room above the agent's threshold", async () => {
  await mockThresholds({ sizeThresholdMB: 500 });
  const { limitMB } = new DiskAlarm("alarm", { projectId });
  expect(await promiseOf(limitMB)).toBe(750);
});

it("has a limit where the agent has no threshold", async () => {
  await mockThresholds({});
  const { limitMB } = new DiskAlarm("alarm", { projectId });
  expect(await promiseOf(limitMB)).toBe(1500);
});

it("tells an outage from a refusal", async () => {
  const service = await startService({ respondWith: () => ({ status: 503 }) });
  onTestFinished(() => service.close());
  const { baseUrl } = service;
  const keys = { publicKey: "publickey", privateKey: "private-key-0001" };
  const client = new AgentLogConfigClient({ baseUrl, ...keys, allowHttp: true, maxRetries: 0 });
  onTestFinished(() => client.close());
  const read = () => client.get({ projectId, agent: "monitoring" });
  await expect(read()).rejects.toMatchObject({ code: "ERR_UNAVAILABLE", temporary: true });
  service.respondWith(undefined);
  await expect(read()).rejects.toMatchObject({ code: "ERR_PROJECT_NOT_FOUND", temporary: false });
});

function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => void output.apply(resolve));
}
