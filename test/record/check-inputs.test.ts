import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { checkInputs, completeInputs } from "../../sdk/record/check-inputs.ts";
import { outputsToRecord } from "../../sdk/record/record-changes.ts";
import { asProperties, parseProperties } from "../../sdk/record/resource-properties.ts";
import { ARGS, checked, hostOf, ID, OTHER_PROJECT, RECORD, settingsOf } from "./settings-of.ts";

// What random lives do not show.

it("keeps a setting that is ignored while the others are unknown", () => {
  const olds = parseProperties(RECORD);
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const { inputs } = completeInputs({ kind: "unknown" }, olds, parseProperties({ ...ARGS, logPath: "/l" }), []);
  expect(asProperties(inputs)).toMatchObject({ logPath: "/l", username: unknown, __readTarget: unknown });
});

it.each([
  ["after a failed read", {}, async () => Promise.reject(new AgentLogConfigError("ERR_UNAVAILABLE", "It is down."))],
  ["with an invalid argument", { whenUnexpected: "shout" }, async () => settingsOf(ARGS)],
])("is not recorded %s where a policy drops the reasons", async (_, changes, read) => {
  const args = { ...ARGS, ...changes };
  const olds = parseProperties({ ...RECORD, ...args });
  const { inputs } = await checkInputs(hostOf(read), olds, parseProperties(args), []);
  const changed = parseProperties({ ...asProperties(inputs), __failures: null });
  expect(outputsToRecord(changed).failures[0]?.message).toMatch(/settings were not read for/);
});

it("drops the names of the package's own that a caller sends", async () => {
  const forged = { __failures: [{ causeKey: "forged", message: "##vso[" }], __readTarget: "x", __zzz: 1 };
  const { __readTarget, ...inputs } = await checked(forged);
  expect(Object.keys(inputs).filter((name) => name.startsWith("__"))).toEqual([]);
  expect(__readTarget).toBe(`${ID} null`);
});

it("reads for another project although all settings of the one before are ignored", async () => {
  // The engine puts recorded settings among the inputs.
  const olds = parseProperties({ ...RECORD, projectId: OTHER_PROJECT, logPath: "/other" });
  const news = parseProperties({ ...RECORD, logPath: "/other" });
  const read = async () => settingsOf(ARGS);
  const { inputs, failures } = await checkInputs(hostOf(read), olds, news, []);
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject({ settings: { logPath: "/var/log/monitoring" }, readTarget: { id: ID, service: null } });
});
