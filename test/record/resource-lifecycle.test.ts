import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { ResourceLifecycle } from "../../sdk/record/resource-lifecycle.ts";

// What random lives do not show, because there is one resource in each of them.

const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" };
const ID = `${ARGS.projectId}/monitoring`;
const RECORD = { ...ARGS, logPath: "/l", logPathWindows: null, logRotate: null, username: null, configOverrides: null };

it("warns of an outage beside the record that is used, and not beside a namesake that was read", async () => {
  const lifecycle = new ResourceLifecycle();
  const down = async () => {
    throw new AgentLogConfigError("ERR_UNAVAILABLE", "It is down.");
  };
  const args = { ...ARGS, whenUnavailable: "useRecorded" };
  const { inputs } = await lifecycle.check({ sources: [], read: down }, { ...RECORD, ...args }, args, []);
  const outputs = { ...inputs, unchangedSince: "2026-01-01T00:00:00.000Z" };
  const warnings = () => lifecycle.diff(ID, outputs, inputs, inputs).warnings;
  expect(warnings()).toMatchObject([{ record: { unchangedSince: "2026-01-01T00:00:00.000Z" } }]);
  expect(warnings()).toEqual([]);
});

it("shows no reasons of a failure among outputs", () => {
  expect(new ResourceLifecycle().record({ ...RECORD, __failures: null })).not.toHaveProperty("__failures");
});
