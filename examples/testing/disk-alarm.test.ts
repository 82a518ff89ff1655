import * as pulumi from "@pulumi/pulumi";
import { answerReads, startService } from "pulumi-agent-log-config/testing";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { DiskAlarm } from "./disk-alarm.ts";

const projectId = "0123456789abcdef01234567";

beforeEach(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({}),
  });
});

it("leaves room above the agent's threshold", async () => {
  onTestFinished(answerReads({ [projectId]: { monitoring: { logRotate: { sizeThresholdMB: 500 } } } }));
  const { limitMB } = new DiskAlarm("alarm", { projectId });
  expect(await promiseOf(limitMB)).toBe(750);
});

it("has a limit where the agent has no threshold", async () => {
  onTestFinished(answerReads({ [projectId]: { monitoring: {} } }));
  const { limitMB } = new DiskAlarm("alarm", { projectId });
  expect(await promiseOf(limitMB)).toBe(1500);
});

it("reads over HTTP, with the stack's connection", async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  service.set(projectId, "monitoring", { logRotate: { sizeThresholdMB: 200 } });
  pulumi.runtime.setAllConfig({
    "agent-log-config:baseUrl": service.baseUrl,
    "agent-log-config:publicKey": "publickey",
    "agent-log-config:privateKey": "private-key-0001",
    "agent-log-config:allowHttp": "true",
  });
  const { limitMB } = new DiskAlarm("alarm", { projectId });
  expect(await promiseOf(limitMB)).toBe(300);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200]);
});

function promiseOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => void output.apply(resolve));
}
