import { expect, it } from "vitest";
import { AgentLogConfigError, type AgentLogConfigResult } from "../../sdk/client/index.ts";
import { checkInputs } from "../../sdk/record/check-inputs.ts";
import { differenceOf, outputsToRecord } from "../../sdk/record/record-changes.ts";
import { NO_RECORD } from "../../sdk/record/recorded-settings.ts";
import { refreshRecord } from "../../sdk/record/refresh-record.ts";
import {
  asProperties,
  type Properties,
  parseProperties,
  withoutInternal,
} from "../../sdk/record/resource-properties.ts";
import { settingsOf } from "./settings-of.ts";

// What random lives do not show, because there is one resource in each of them.

const ARGS = { projectId: "0123456789abcdef01234567", agent: "monitoring" } as const;
const ID = `${ARGS.projectId}/monitoring`;
const RECORD = {
  ...ARGS,
  whenUnavailable: "fail",
  logPath: "/l",
  logPathWindows: "",
  logRotate: {},
  username: "",
  configOverrides: {},
};

const contextOf = (read: () => Promise<AgentLogConfigResult>) => ({ connection: {}, read, readMember: read });

/** What a check of a project and agent has found, and a policy may change afterwards. */
async function checked(changes: object = {}) {
  const read = async () => ({ ...settingsOf(ARGS), logPath: "/l" });
  const args = { ...ARGS, ...changes };
  return asProperties((await checkInputs(contextOf(read), NO_RECORD, parseProperties(args), [])).inputs);
}

it("records what was read for it, without what is internal", async () => {
  const inputs = parseProperties({ ...(await checked()), __failures: null });
  const outputs = asProperties(outputsToRecord(inputs).outputs);
  expect(Object.keys(outputs).filter((name) => name.startsWith("__"))).toEqual([]);
  expect(outputs).toMatchObject({ ...ARGS, logPath: "/l" });
});

const OTHER_PROJECT = "89abcdef0123456789abcdef";
it.each<readonly [change: string, (inputs: Properties) => Properties, says: RegExp]>([
  [
    "names another project",
    (inputs) => ({ ...inputs, projectId: OTHER_PROJECT }),
    /^AgentLogConfig 89abcdef\S+: its settings were not read for/,
  ],
  [
    "names another agent",
    (inputs) => ({ ...inputs, agent: "backup" }),
    /settings were not read for what its arguments name/,
  ],
  [
    "returns arguments alone",
    () => ARGS,
    /not read for .*, because a policy has changed its properties after the read; change them/,
  ],
  ["drops what is internal", (inputs) => withoutInternal(inputs), /settings were not read for/],
  [
    "expects another value",
    (inputs) => ({ ...inputs, expect: { logPath: "/secret" } }),
    /: logPath is not as expected; change it in/,
  ],
  [
    "changes a setting that is expected",
    (inputs) => ({ ...inputs, logPath: "/m", expect: { logPath: "/l" } }),
    /logPath is not/,
  ],
])("is not recorded where a policy %s after the check", async (_, change, says) => {
  const inputs = parseProperties(change(await checked()));
  const message = outputsToRecord(inputs).failures[0]?.message;
  expect(message).toMatch(says);
  expect(message).not.toContain("/secret");
});

it("is recorded where a policy only warns of a setting, and where it changes other arguments", async () => {
  const inputs = {
    ...(await checked()),
    whenUnavailable: "useRecorded",
    expect: { logPath: "/m" },
    whenUnexpected: "warn",
  };
  expect(asProperties(outputsToRecord(parseProperties(inputs)).outputs)).toMatchObject({ logPath: "/l" });
});

it.each([
  ["after a failed read", {}, async () => Promise.reject(new AgentLogConfigError("ERR_UNAVAILABLE", "It is down."))],
  ["with an invalid argument", { whenUnexpected: "shout" }, async () => settingsOf(ARGS)],
])("is not recorded %s where a policy drops the reasons", async (_, changes, read) => {
  const args = { ...ARGS, ...changes };
  const olds = parseProperties({ ...RECORD, ...args });
  const { inputs } = await checkInputs(contextOf(read), olds, parseProperties(args), []);
  const changed = parseProperties({ ...asProperties(inputs), __failures: null });
  expect(outputsToRecord(changed).failures[0]?.message).toMatch(/settings were not read for/);
});

it("drops the names of the package's own that a caller sends", async () => {
  const forged = { __failures: [{ causeKey: "forged", message: "##vso[" }], __readTarget: "x", __zzz: 1 };
  const { __readTarget, ...inputs } = await checked(forged);
  expect(Object.keys(inputs).filter((name) => name.startsWith("__"))).toEqual([]);
  expect(__readTarget).toBe(`${ID} null`);
});

it("is not replaced by one that was read for another project, and is compared in a refresh, as expected or not", async () => {
  const record = parseProperties(RECORD);
  const moved = parseProperties({ ...(await checked()), projectId: OTHER_PROJECT });
  expect(differenceOf(ID, record, record, moved)).toEqual({ changes: true });
  const { readTarget } = parseProperties(await checked());
  const unmet = { ...parseProperties({ ...RECORD, expect: { logPath: "/other" } }), readTarget };
  expect(differenceOf(ID, unmet, unmet, unmet)).toEqual({ changes: false });
});

it("is read again without the outputs of another version, which are no arguments", async () => {
  const read = async () => settingsOf(ARGS);
  const older = parseProperties({ ...RECORD, unchangedSince: "2026-11-26T00:00:00.000Z" });
  const { inputs, outputs } = await refreshRecord(contextOf(read), ID, older);
  expect([inputs?.args, outputs.args]).toEqual([expect.anything(), { ...ARGS, whenUnavailable: "fail" }]);
  expect(inputs?.args).not.toHaveProperty("unchangedSince");
});

it("is not used in a refresh of another service, which is a cause of its own", async () => {
  const error = new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { subject: "Can't read" });
  const context = contextOf(() => Promise.reject(error));
  const own = { ...RECORD, whenUnavailable: "useRecorded" };
  const [used, refused] = await Promise.all(
    [own, { ...own, __readTarget: `${ID} 0123456789abcdef` }].map((properties) =>
      refreshRecord(context, ID, parseProperties(properties)).then(
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

it("is healed if its state was edited: replaced if its id is another one, and updated if it has failures", async () => {
  const [record, news] = [parseProperties(RECORD), parseProperties(await checked())];
  expect(differenceOf(ID, record, record, news)).not.toMatchObject({ changes: true });
  expect(differenceOf(`${OTHER_PROJECT}/monitoring`, record, record, news)).toEqual({
    changes: true,
    replaces: ["projectId"],
  });
  const failing = parseProperties({ ...RECORD, __failures: 'findings: [{"causeKey":"c","message":"m"}]' });
  expect(differenceOf(ID, failing, record, news)).toEqual({ changes: true });
});

it("reads for another project although all settings of the one before are ignored", async () => {
  // The engine puts recorded settings among the inputs.
  const olds = parseProperties({ ...RECORD, projectId: OTHER_PROJECT, logPath: "/other" });
  const news = parseProperties({ ...RECORD, logPath: "/other" });
  const read = async () => settingsOf(ARGS);
  const { inputs, failures } = await checkInputs(contextOf(read), olds, news, []);
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject({ settings: { logPath: "/var/log/monitoring" }, readTarget: { id: ID, service: null } });
});
