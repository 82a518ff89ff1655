import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { failureText } from "../../sdk/findings/finding-report.ts";
import { checkInputs } from "../../sdk/record/check-inputs.ts";
import type { RecordContext } from "../../sdk/record/find-outcome.ts";
import { outputsToRecord } from "../../sdk/record/record-changes.ts";
import { refreshRecord } from "../../sdk/record/refresh-record.ts";
import { asProperties, type Properties, parseProperties } from "../../sdk/record/resource-properties.ts";
import { settingsOf } from "./settings-of.ts";

// What neither random lives nor ../provider/fleets.test.ts show.

const idOf = (index: number) => index.toString(16).padStart(24, "0");
const fleetOf = (size: number) => ({
  projects: Object.fromEntries(Array.from({ length: size }, (_, index) => [`${index}`, idOf(index)])),
  agents: ["monitoring"],
});

const NEVER = () => Promise.reject(new Error("it is read by itself"));
const contextOf = (readMember: RecordContext["readMember"], more: Partial<RecordContext> = {}): RecordContext => {
  return { connection: {}, read: NEVER, readMember, ...more };
};
const checked = async (context: RecordContext, olds: object, news: object) => {
  const { inputs, failures } = await checkInputs(
    context,
    parseProperties({ ...olds }),
    parseProperties({ ...news }),
    [],
  );
  return { inputs: asProperties(inputs), failures };
};
const refreshed = (context: RecordContext, properties: Properties) =>
  refreshRecord(context, "fleet", parseProperties(properties));

const WORKING = contextOf(async (args) => settingsOf(args));
const DOWN = contextOf(() => Promise.reject(new AgentLogConfigError("ERR_UNAVAILABLE", "it is down")));

it("has no record for an outage if its members are of several services, because some are ignored", async () => {
  const fleet = { ...fleetOf(2), whenUnavailable: "useRecorded" };
  const { inputs } = await checked(WORKING, {}, fleet);
  const elsewhere = { ...inputs, __readTarget: "0123456789abcdef elsewhere" };
  const { configs, configOverrides } = elsewhere as Properties;
  const here = { baseUrl: { text: "https://here", source: "stack", place: "here" } } as const;
  const context = contextOf(WORKING.readMember, { connection: here });
  const mixed = await checked(context, elsewhere, { ...fleet, ...fleetOf(3), configs, configOverrides });
  expect(mixed.inputs["__readTarget"]).toMatch(/^[0-9a-f]{16} several$/);
  const { failures } = await checked({ ...DOWN, connection: here }, mixed.inputs, { ...fleet, ...fleetOf(3) });
  expect(failures).toMatchObject([{ members: ["0/monitoring", "1/monitoring", "2/monitoring"] }]);
  expect(failures[0]?.message).toContain("the recorded settings come from another service");
});

it.each<[description: string, configs: unknown]>([
  ["the settings of members are no map", ["x"]],
  ["a member is no map", { "0/monitoring": "x" }],
  ["a member has no project", { "0/monitoring": { logPath: "/l" } }],
])("is checked anew if the state was edited: %s", async (_, configs) => {
  const { inputs, failures } = await checked(WORKING, { ...fleetOf(1), configs, configOverrides: 5 }, fleetOf(1));
  expect(failures).toEqual([]);
  expect(inputs).toMatchObject({ configs: { "0/monitoring": { projectId: idOf(0), logPath: "/var/log/monitoring" } } });
});

it("reads nothing in a refresh of an edited state without members, and says which member names no project", async () => {
  expect(await refreshed(WORKING, { ...fleetOf(1), configs: "x" })).toMatchObject({ id: "fleet", inputs: undefined });
  const { failures } = await refreshed(WORKING, { ...fleetOf(1), configs: { "0/monitoring": "x" } });
  expect(failures).toMatchObject([
    { members: ["0/monitoring"], message: expect.stringContaining("does not have the form") },
  ]);
});

it("has no settings yet in a preview for a member that fails and has none, and keeps those of the others", async () => {
  const { inputs } = await checked(WORKING, {}, fleetOf(1));
  const { readMember } = DOWN;
  const preview = await checked(contextOf(readMember, { isPreview: true }), inputs, fleetOf(2));
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  expect(preview.inputs).toMatchObject({
    configs: {
      "0/monitoring": { logPath: "/var/log/monitoring" },
      "1/monitoring": { id: `${idOf(1)}/monitoring`, logPath: unknown },
    },
    configOverrides: { "1/monitoring": unknown },
  });
  const update = await checked(contextOf(readMember), inputs, fleetOf(2));
  expect(update.inputs).toMatchObject({ configs: { "1/monitoring": { logPath: "" } } });
});

it("has 2,000 members, and says in one message of gRPC why they fail", async () => {
  const expecting = { ...fleetOf(2000), expect: { logPath: "/l" } };
  const { inputs, failures } = await checked(WORKING, {}, expecting);
  expect(Object.keys(Object(inputs["configs"]))).toHaveLength(2000);
  expect(failures).toMatchObject([{ members: { length: 2000 } }]);
  const message = failureText(outputsToRecord(parseProperties(inputs)).failures);
  expect(message).toMatch(/ This applies to the resources 0\/monitoring, .* and 1950 others\.$/);
  // 60 causes, each with a name that takes nine characters for each of its own in percent-encoding.
  const other = contextOf(async (args) => ({ ...settingsOf(args), logPath: `/${"志".repeat(20)}${args.projectId}` }));
  const many = await checked(other, {}, { ...fleetOf(60), expect: { logPath: "/l" } });
  const text = failureText(many.failures);
  expect(text).toMatch(/\nAnd \d+ other failures, which a preview shows\.$/);
  expect(encodeURI(text).length).toBeLessThan(8192);
});
