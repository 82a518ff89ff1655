import { expect, it } from "vitest";
import { differenceOf, outputsToRecord } from "../../sdk/record/record-changes.ts";
import { asProperties, type Properties, parseProperties } from "../../sdk/record/resource-properties.ts";
import { ARGS, checked, ID, OTHER_PROJECT, RECORD } from "./settings-of.ts";

// What random lives do not show, in which no policy changes what was read.

it.each<readonly [change: string, (inputs: Properties) => Properties, says: RegExp]>([
  [
    "names another project",
    (inputs) => ({ ...inputs, projectId: OTHER_PROJECT }),
    /^AgentLogConfig 89abcdef\S+: its settings were not read for/,
  ],
  [
    "returns arguments alone",
    () => ARGS,
    /not read for .*, because a policy has changed its properties after the read; change them/,
  ],
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

it("is not replaced by one that was read for another project, and is compared in a refresh, as expected or not", async () => {
  const record = parseProperties(RECORD);
  const moved = parseProperties({ ...(await checked()), projectId: OTHER_PROJECT });
  expect(differenceOf(ID, record, record, moved)).toEqual({ changes: true });
  const { readTarget } = parseProperties(await checked());
  const unmet = { ...parseProperties({ ...RECORD, expect: { logPath: "/other" } }), readTarget };
  expect(differenceOf(ID, unmet, unmet, unmet)).toEqual({ changes: false });
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
