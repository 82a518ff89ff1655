import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { refreshRecord } from "../../sdk/record/refresh-record.ts";
import { parseProperties } from "../../sdk/record/resource-properties.ts";
import { ARGS, hostOf, ID, RECORD, settingsOf } from "./settings-of.ts";

it("is read again without the outputs of another version, which are no arguments", async () => {
  const read = async () => settingsOf(ARGS);
  const older = parseProperties({ ...RECORD, unchangedSince: "2026-11-26T00:00:00.000Z" });
  const { inputs, outputs } = await refreshRecord(hostOf(read), ID, older);
  expect([inputs?.args, outputs.args]).toEqual([expect.anything(), { ...ARGS, whenUnavailable: "fail" }]);
  expect(inputs?.args).not.toHaveProperty("unchangedSince");
});

it("is not used in a refresh of another service, which is a cause of its own", async () => {
  const error = new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { subject: "Can't read" });
  const host = hostOf(() => Promise.reject(error));
  const own = { ...RECORD, whenUnavailable: "useRecorded" };
  const [used, refused] = await Promise.all(
    [own, { ...own, __readTarget: `${ID} 0123456789abcdef` }].map((properties) =>
      refreshRecord(host, ID, parseProperties(properties)).then(
        ({ warnings, failures }) => [...warnings, ...failures][0],
      ),
    ),
  );
  expect(used).toMatchObject({ record: "used" });
  expect(refused?.message).toMatch(
    /^Can't read: it is down\. .* But the recorded settings come from another service, so/,
  );
  expect(refused?.causeKey).not.toBe(used?.causeKey);
});

it.each([
  { what: "a host that is not reached", status: undefined, isAdvised: true },
  { what: "a service that is down", status: 503, isAdvised: false },
])("doubts the connection of the last update for $what: $isAdvised", async ({ status, isAdvised }) => {
  const error = new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { subject: "Can't read", status });
  const context = { ...hostOf(() => Promise.reject(error)), usesOldConnection: true };
  const { failures } = await refreshRecord(context, ID, parseProperties(RECORD));
  expect(failures[0]?.message.includes("If the connection has changed since the last `pulumi up`")).toBe(isAdvised);
});
