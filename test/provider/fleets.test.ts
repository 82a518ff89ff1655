import { beforeEach, describe, expect, it } from "vitest";
import type { CannedResponse, Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { FLEET_URN } from "../plugin/plugin-process.ts";
import {
  isSecret,
  mapValues,
  type PropertyMap,
  parseProperties,
  secret,
  unknownValue,
  withoutSecrets,
} from "../stand-in-engine/property-value.ts";
import { connectionWith, type Kept, update, useWays } from "./ways.ts";

// What a fleet has beyond a resource of its own, in the dynamic provider and in the plugin.

const [ONE, TWO, THREE] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b", "0123456789abcdef0123456c"];
const ARGS = sent({ projects: { one: ONE, two: TWO } });
const USE_RECORDED = { ...ARGS, whenUnavailable: "useRecorded" };
const NOTHING = { logPath: "", logPathWindows: "", logRotate: {}, username: "" };
const GONE = { status: 404, body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}' };
const OUTAGE = { status: 503 };

/** What a program in TypeScript sends. The plugin takes the arguments alone. */
function sent(args: PropertyMap, secrets: readonly string[] = []): PropertyMap {
  const origin = { name: "fleet", secrets: ["configOverrides", ...secrets], ignoreChanges: [] };
  return { agents: ["monitoring"], ...args, __origin: JSON.stringify(origin), __failsIn: "update" };
}

let service: Service;

beforeEach(async () => {
  const settings = (project: string) => ({
    monitoring: { logPath: `/${project}`, configOverrides: { mmsApiKey: project } },
    backup: { logRotate: { sizeThresholdMB: 1000 } },
  });
  service = await openService({
    settings: { [ONE]: settings("one"), [TWO]: settings("two"), [THREE]: settings("three") },
  });
});

/** Lets the service send this for these projects. */
function respondFor(responses: Readonly<Record<string, CannedResponse>>): void {
  service.respondWith(({ target }) => responses[/groups\/(\w+)/.exec(target)?.[1] ?? ""]);
}

const numberOfReads = () => service.requests.filter(({ status }) => status !== 401).length;

/** The paths of members by their keys, of monitoring agents by their names. */
function pathsIn({ configs = {} }: PropertyMap): object {
  const entries = Object.entries(parseProperties(withoutSecrets(configs)));
  return Object.fromEntries(entries.map(([key, config]) => [key.replace("/monitoring", ""), Object(config).logPath]));
}

describe.each(useWays(FLEET_URN))("a fleet of the $way", ({ way, open }) => {
  const opened = () => open(connectionWith(service));
  const recorded = async (args: PropertyMap = ARGS): Promise<Kept> => {
    const { op: _, ...kept } = await update(await opened(), args);
    return kept;
  };

  it("records each agent of each project by name, and keeps overrides apart as a secret", async () => {
    const projects = { "Team/Øst 1": TWO, one: ONE };
    const args = sent({ projects, agents: ["backup", "monitoring", "backup"] });
    const { id, inputs, outputs } = await update(await opened(), args);
    const [backup, monitoring] = ["backup", "monitoring"].map((agent) => ({ agent, ...NOTHING }));
    const [one, two] = [
      { name: "one", projectId: ONE },
      { name: "Team/Øst 1", projectId: TWO },
    ];
    const logRotate = { sizeThresholdMB: 1000 };
    const configs = {
      "Team/Øst 1/backup": { id: `${TWO}/backup`, ...two, ...backup, logRotate },
      "Team/Øst 1/monitoring": { id: `${TWO}/monitoring`, ...two, ...monitoring, logPath: "/two" },
      "one/backup": { id: `${ONE}/backup`, ...one, ...backup, logRotate },
      "one/monitoring": { id: `${ONE}/monitoring`, ...one, ...monitoring, logPath: "/one" },
    };
    const overrides = [{}, { mmsApiKey: "two" }, {}, { mmsApiKey: "one" }];
    const configOverrides = Object.fromEntries(Object.keys(configs).map((key, index) => [key, overrides[index] ?? {}]));
    expect([id, Object.keys(outputs).filter((name) => name.startsWith("__"))]).toEqual(["fleet", []]);
    expect(inputs).toMatchObject({ configs, configOverrides: secret(configOverrides), whenUnavailable: "fail" });
    expect(isSecret(outputs["configOverrides"])).toBe(way === "plugin");
    expect(withoutSecrets(outputs)).toMatchObject({ configs, configOverrides });
    expect(inputs["__readTarget"]).toMatch(/^[0-9a-f]{16} [0-9a-f]{16}$/);
    expect(numberOfReads()).toBe(4);
  });

  const changed = { logPath: "/changed", configOverrides: { mmsApiKey: "two" } };
  it.each<[description: string, args: PropertyMap, found: PropertyMap | undefined, op: string, paths: object]>([
    ["nothing", ARGS, undefined, "same", { one: "/one", two: "/two" }],
    ["a setting of one member", ARGS, changed, "update", { one: "/one", two: "/changed" }],
    ["an override of one member alone", ARGS, { logPath: "/two" }, "update", { one: "/one", two: "/two" }],
    [
      "names that move, go and come",
      sent({ projects: { one: THREE, new: ONE } }),
      undefined,
      "update",
      { one: "/three", new: "/one" },
    ],
    ["the agents", { ...ARGS, agents: null }, undefined, "update", expect.objectContaining({ "two/backup": "" })],
    ["all projects, of which none is left", sent({ projects: {} }), undefined, "update", {}],
  ])("compares with the record: %s", async (_, args, found, op, paths) => {
    const kept = await recorded();
    if (found !== undefined) service.set(TWO, "monitoring", found);
    const made = await update(await opened(), args, kept);
    expect([made.op, made.id, pathsIn(made.inputs), pathsIn(made.outputs)]).toEqual([op, "fleet", paths, paths]);
    expect(await update(await opened(), args, made)).toMatchObject({ op: "same" });
  });

  it("keeps the project ids secret that are secrets in the program, also after a refresh", async () => {
    const projects = secret({ one: ONE, two: TWO });
    const kept = await recorded(sent({ projects }, ["projects", "configs"]));
    expect([kept.inputs["configs"], kept.inputs["configOverrides"]].map(isSecret)).toEqual([true, true]);
    // The engine keeps the seals of what the provider host returns.
    if (way === "dynamic provider") return;
    service.set(TWO, "monitoring", { logPath: "/changed" });
    const { inputs, properties } = await (await opened()).read("fleet", kept);
    for (const { projects, configs, configOverrides } of [inputs, properties].map(parseProperties))
      expect([projects, configs, configOverrides].map((value) => isSecret(value))).toEqual([true, true, true]);
  });

  it("shows the drift of the others and records nothing, if the project of one member is gone", async () => {
    const kept = await recorded();
    respondFor({ [ONE]: GONE });
    service.set(TWO, "monitoring", { logPath: "/changed" });
    const provider = await opened();
    const inputs = await provider.check(ARGS, kept.inputs);
    expect(pathsIn(inputs)).toEqual({ one: "/one", two: "/changed" });
    expect(JSON.parse(String(inputs["__failures"]).replace("findings: ", ""))).toMatchObject([
      { members: ["one/monitoring"] },
    ]);
    expect(inputs).not.toHaveProperty("__readTarget");
    // The engine compares property by property.
    const { changes = "", replaces = [] } = await provider.diff(kept, inputs);
    expect([changes, replaces]).toEqual(["", []]);
    await expect(provider.update(kept, inputs)).rejects.toThrow(
      /GROUP_NOT_FOUND.* This applies to the resource one\/monitoring\.$/,
    );
  });

  it("says each cause once, with the members in the order of their names, or warns of it", async () => {
    const projects = { c: TWO, b: THREE, a: ONE };
    respondFor({ [ONE]: GONE, [THREE]: GONE });
    const args = sent({ projects, agents: ["monitoring", "backup"], expect: { logPath: "/x" } });
    const message = await recorded(args).then(String, (error: Error) => error.message);
    expect(message.split("\n")).toEqual([
      expect.stringMatching(
        /GROUP_NOT_FOUND.* This applies to the resources a\/monitoring, a\/backup, b\/monitoring, b\/backup\.$/,
      ),
      `AgentLogConfig ${TWO}/monitoring: logPath is "/two", expected "/x"; change it in the service, or change expect. This applies to the resource c/monitoring.`,
      `AgentLogConfig ${TWO}/backup: logPath is not set, expected "/x"; change it in the service, or change expect. This applies to the resource c/backup.`,
    ]);
    service.respondWith(undefined);
    const provider = await opened();
    await update(provider, sent({ projects: { a: TWO, b: TWO }, expect: { logPath: "/x" }, whenUnexpected: "warn" }));
    expect(await provider.warnings()).toEqual([
      expect.stringMatching(
        /expected "\/x"; .* This applies to the resources fleet a\/monitoring, fleet b\/monitoring\.$/,
      ),
    ]);
  });

  it("reads the others in a preview where the id of one name is not known", async () => {
    const kept = await recorded();
    service.set(TWO, "monitoring", { logPath: "/changed" });
    const inputs = await (await opened()).check(sent({ projects: { one: unknownValue, two: TWO } }), kept.inputs);
    const { "one/monitoring": one, ...others } = parseProperties(inputs["configs"]);
    const unknown = mapValues({ id: 0, projectId: 0, ...NOTHING }, () => unknownValue);
    expect(one).toEqual({ name: "one", agent: "monitoring", ...unknown });
    expect(pathsIn({ configs: others })).toEqual({ two: "/changed" });
    expect([inputs["__readTarget"], inputs["__failures"]]).toEqual([unknownValue, undefined]);
  });

  it.each<PropertyMap>([{ projects: unknownValue }, { agents: unknownValue }, { agents: ["backup", unknownValue] }])(
    "is unknown and reads nothing in a preview where its members are not known: %j",
    async (args) => {
      const inputs = await (await opened()).check({ ...ARGS, ...args }, {});
      const unknown = { configs: unknownValue, configOverrides: secret(unknownValue), __readTarget: unknownValue };
      expect(inputs).toMatchObject({ ...args, ...unknown });
      expect(service.requests).toEqual([]);
    },
  );

  it("keeps the settings that are ignored, except in a member that names another project now", async () => {
    const kept = await recorded();
    const reads = numberOfReads();
    for (const id of [ONE, TWO]) service.set(id, "monitoring", { logPath: "/changed", configOverrides: { k: 1 } });
    // The engine puts what is recorded among the inputs.
    const { configs = {}, configOverrides } = kept.inputs;
    const { inputs } = await update(await opened(), { ...ARGS, configs }, kept);
    expect(pathsIn(inputs)).toEqual({ one: "/one", two: "/two" });
    expect(inputs["configOverrides"]).not.toEqual(configOverrides);
    const moved = await update(await opened(), { ...sent({ projects: { one: ONE, two: THREE } }), configs }, kept);
    expect(pathsIn(moved.inputs)).toEqual({ one: "/one", two: "/three" });
    expect(numberOfReads()).toBe(reads + 4);
    const all = await update(await opened(), { ...ARGS, ...kept.inputs }, kept);
    expect(all).toEqual({ op: "same", ...kept });
    expect(numberOfReads()).toBe(reads + 4);
  });

  it("uses its record in an outage with one warning, and says which member has none", async () => {
    const kept = await recorded(USE_RECORDED);
    service.respondWith(() => OUTAGE);
    const provider = await opened();
    expect(await update(provider, USE_RECORDED, kept)).toEqual({ op: "same", ...kept });
    expect(await provider.warnings()).toEqual([
      expect.stringMatching(
        /^Can't read .*503.* AgentLogConfig fleet one\/monitoring, fleet two\/monitoring use the recorded settings\.$/,
      ),
    ]);
    const other = await opened();
    const projects = { one: THREE, new: ONE, two: TWO };
    await expect(update(other, { ...USE_RECORDED, projects }, kept)).rejects.toThrow(
      /status 503.* This applies to the resources new\/monitoring, one\/monitoring\.$/,
    );
    await other.warnings();
  });

  it("loses the members that are gone in a refresh, uses the record of one in an outage, and has all back later", async () => {
    const args = { ...USE_RECORDED, projects: { one: ONE, two: TWO, three: THREE } };
    const kept = await recorded(args);
    respondFor({ [ONE]: GONE, [TWO]: OUTAGE });
    service.set(THREE, "monitoring", { logPath: "/changed" });
    const provider = await opened();
    const { id, inputs, properties } = await provider.read("fleet", kept);
    const refreshed = { id: String(id), inputs: parseProperties(inputs), outputs: parseProperties(properties) };
    const paths = { two: "/two", three: "/changed" };
    expect([id, pathsIn(refreshed.inputs), pathsIn(refreshed.outputs)]).toEqual(["fleet", paths, paths]);
    expect(refreshed.inputs).toMatchObject({ configOverrides: secret({ "two/monitoring": { mmsApiKey: "two" } }) });
    expect(refreshed.inputs["__readTarget"]).toBe(kept.inputs["__readTarget"]);
    expect(await provider.warnings()).toEqual([
      expect.stringMatching(/GROUP_NOT_FOUND.* AgentLogConfig fleet one\/monitoring is gone\.$/),
      expect.stringMatching(/503.* AgentLogConfig fleet two\/monitoring uses the recorded settings\.$/),
    ]);
    service.respondWith(undefined);
    const reads = numberOfReads();
    await (await opened()).read("fleet", refreshed);
    expect(numberOfReads()).toBe(reads + 2);
    const { op, outputs } = await update(await opened(), args, refreshed);
    expect([op, pathsIn(outputs)]).toEqual(["update", { ...paths, one: "/one" }]);
  });

  it("is not recorded where a policy changes what was read for it, or what is expected of it", async () => {
    const provider = await opened();
    const inputs = await provider.check({ ...ARGS, expect: { logPath: "/one" }, projects: { one: ONE } }, {});
    const moved = provider.create({ ...inputs, projects: { one: TWO } });
    await expect(moved).rejects.toThrow(
      /^AgentLogConfigs: its settings were not read for what its arguments name, because/,
    );
    const { "one/monitoring": member } = parseProperties(inputs["configs"]);
    const configs = { "one/monitoring": { ...parseProperties(member), logPath: "/policy" } };
    await expect(provider.create({ ...inputs, configs })).rejects.toThrow(
      /logPath is not as expected; .* This applies to the resource one\/monitoring\.$/,
    );
  });

  const nameRule =
    "has a name that does not begin with a letter or a digit, or has other than 1 to 80 printable characters";
  it.each<[args: PropertyMap, reason: string]>([
    [{ projects: null }, "projects must be a map from names to project ids."],
    [{ projects: [ONE] }, "projects must be a map from names to project ids."],
    [{ projects: { a: "orders" } }, 'projects.a must be 24 hexadecimal digits, not "orders".'],
    [{ projects: { a: null, b: ONE } }, "projects.a is missing."],
    [{ projects: { a: 12 } }, "projects.a must be 24 hexadecimal digits in quotes, not 12."],
    [{ agents: "backup" }, 'agents must be a list, not "backup".'],
    [{ agents: ["backups"] }, 'agents.0 must be "monitoring" or "backup", not "backups".'],
    [{ projectId: ONE }, "has unknown names: projectId; the valid ones are projects, agents, expect,"],
    ...["", "-a", "a\n", "a\u202e", "a<{%", "x".repeat(81), unknownValue].map((name): [PropertyMap, string] => [
      { projects: { [name]: ONE, a: TWO } },
      `projects ${nameRule}`,
    ]),
  ])("reads nothing for %j", async (args, reason) => {
    const made = recorded({ ...ARGS, ...args });
    await expect(made).rejects.toThrow(/^Nothing was read: the argument \P{Cc}*$/u);
    await expect(made).rejects.toThrow(reason);
    expect(service.requests).toEqual([]);
  });

  it("quotes no setting where all of them are secrets", async () => {
    const projects = secret({ one: ONE });
    const made = recorded(sent({ ...ARGS, projects, expect: { logPath: "/other" } }, ["projects", "configs"]));
    await expect(made).rejects.toThrow(/: logPath is not as expected; (?!.*\/(one|other)").*$/);
  });

  it.each<PropertyMap>([{ "-orders": ONE }, { orders: "malformed-secret" }])(
    "quotes nothing of a secret map: %j",
    async (projects) => {
      const made = recorded(sent({ projects: secret(projects) }, ["projects", "configs"]));
      await expect(made).rejects.toThrow(/^Nothing was read: the argument projects(?!.*(-orders|malformed)).*$/);
    },
  );
});
