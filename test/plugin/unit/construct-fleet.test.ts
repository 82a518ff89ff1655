import { beforeEach, describe, expect, it } from "vitest";
import { AgentLogConfigError } from "../../../sdk/client/errors.ts";
import { constructFleet, type FleetHost } from "../../../sdk/plugin/construct-fleet.ts";
import { withoutMarks } from "../../../sdk/plugin/property-marks.ts";
import type { Properties } from "../../../sdk/provider/resource-lifecycle.ts";
import { SECRET_SIGNATURE, SIGNATURE_KEY, UNKNOWN, UNKNOWN_OUTPUT } from "../../../sdk/shared/engine-marks.ts";
import type { AskedRead } from "../../../sdk/shared/read-many-result.ts";
import { recordSettings } from "../../../sdk/shared/reading.ts";
import { settingsOf } from "../../shared/settings-of.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const seal = (value: unknown) => ({ [SIGNATURE_KEY]: SECRET_SIGNATURE, value });
const child = (index: number, of = "fleet") => `${of}-${id(index)}-monitoring`;
const FLEET = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";
const MONITORING = { agents: ["monitoring"] };

let asked: string[];
let gone: Set<string>;
/** What was sent for each child, in this order. */
let registered: Map<string, Properties>;
/** Answers the registration of a child; its outputs are what was read for it, where nothing else is said. */
let answers: Map<string, () => Promise<Properties | undefined>>;
/** The other name of each child under which it may be recorded. */
let formerNames: Map<string, string | undefined>;
let recorded: unknown[];
/** What the calls of a preview fail for. */
let held: string[];
let isPreview: boolean;
let host: FleetHost;

beforeEach(() => {
  formerNames = new Map();
  [held, isPreview] = [[], false];
  [asked, gone, registered, answers, recorded] = [[], new Set(), new Map(), new Map(), []];
  host = {
    read: async ({ projectId, agent }: AskedRead) => {
      asked.push(projectId);
      if (gone.has(projectId)) throw new AgentLogConfigError("ERR_PROJECT_NOT_FOUND", "it is gone");
      return { ...settingsOf({ projectId, agent }), configOverrides: { key: "k" } };
    },
    readsAhead: new Map(),
    failures: {
      during: async (read) => read(),
      hold: async (_, failures) => void held.push(...failures.map(({ message }) => message)),
      fail: (_, failures) => {
        throw new Error(failures.map(({ message }) => message).join("\n"));
      },
    },
  };
});

const NEVER = () => new Promise<never>(() => {});

async function construct(args: Properties, name = "fleet"): Promise<unknown> {
  const registerChild = async (parent: string, childName: string, inputs: Properties, formerName?: string) => {
    registered.set(childName, inputs);
    formerNames.set(childName, formerName);
    const answer = answers.get(childName);
    if (answer !== undefined) return answer();
    const ahead = host.readsAhead.get(
      `${parent.replace(/::fleet$/, "")}$agent-log-config:index:AgentLogConfig::${childName}`,
    );
    const found = recordSettings((await ahead?.read) ?? {});
    return { ...withoutMarks(inputs), ...found, configOverrides: seal(found["configOverrides"]), unchangedSince: "x" };
  };
  const monitor = {
    isPreview,
    registerComponent: async () => FLEET,
    registerChild,
    registerOutputs: async (_: string, { configs }: Properties) => void recorded.push(configs),
  };
  const { urn, configs } = await constructFleet(name, args, monitor, host);
  expect(urn).toBe(FLEET);
  return configs;
}

describe("a fleet of the plugin", () => {
  it("returns what its children record in the order of the list, without secrets, and reads each once", async () => {
    const configs = await construct({
      projectIds: [id(2), id(1), id(2).toUpperCase()],
      agents: ["backup", "backup"],
    });
    const settings = { logPath: "/var/log/backup", logPathWindows: null, logRotate: null, username: null };
    expect(configs).toEqual(
      [id(2), id(1)].map((of) => ({ id: `${of}/backup`, projectId: of, agent: "backup", ...settings })),
    );
    expect(recorded).toEqual([configs]);
    expect([...registered.keys()]).toEqual([`fleet-${id(2)}-backup`, `fleet-${id(1)}-backup`]);
    expect(asked).toEqual([id(2), id(1)]);
    expect(host.readsAhead.size).toBe(0);
  });

  it("names the children of a map by its names, and tells the engine once what else they may be recorded as", async () => {
    const projects = { orders: id(2), billing: id(1), "Team/Øst 1": id(2).toUpperCase() };
    const configs = await construct({ projects, projectIds: null, agents: ["monitoring", "monitoring"] });
    const settings = { logPath: "/var/log/monitoring", logPathWindows: null, logRotate: null, username: null };
    const found = (name: string, index: number) => ({ name, id: `${id(index)}/monitoring`, projectId: id(index) });
    expect(configs).toEqual(
      [found("Team/Øst 1", 2), found("billing", 1), found("orders", 2)].map((each) => ({
        ...each,
        agent: "monitoring",
        ...settings,
      })),
    );
    expect([...formerNames]).toEqual([
      ["fleet-Team/Øst 1-monitoring", child(2)],
      ["fleet-billing-monitoring", child(1)],
      ["fleet-orders-monitoring", undefined],
    ]);
  });

  it("has both agents of each project where none is named, and null is none", async () => {
    const absent = { agents: null, expect: null, whenUnexpected: null, whenUnavailable: null };
    await construct({ projectIds: [id(1)], ...absent });
    const inputs = { projectId: id(1) };
    expect(Object.fromEntries(registered)).toEqual({
      [child(1)]: { ...inputs, agent: "monitoring" },
      [`fleet-${id(1)}-backup`]: { ...inputs, agent: "backup" },
    });
    expect(await construct({ projectIds: [], ...absent })).toEqual([]);
  });

  it("gives its children the rules by which they are judged", async () => {
    const rules = { expect: seal({ logPath: "/other" }), whenUnexpected: "warn", whenUnavailable: "useRecorded" };
    await construct({ projectIds: [id(1)], ...MONITORING, ...rules });
    expect(registered.get(child(1))).toEqual({ projectId: id(1), agent: "monitoring", ...rules });
  });

  it("returns what a child has recorded, where that is not what was read", async () => {
    answers.set(child(1), async () => ({ logPath: "/recorded" }));
    expect(await construct({ projectIds: [id(1)], ...MONITORING })).toMatchObject([{ logPath: "/recorded" }]);
  });

  it("does not end while a child has not ended", async () => {
    answers.set(child(2), NEVER);
    const configs = construct({ projectIds: [id(1), id(2)], ...MONITORING });
    expect(await Promise.race([configs, new Promise((resolve) => setImmediate(resolve, "is waiting"))])).toBe(
      "is waiting",
    );
    expect(recorded).toEqual([]);
  });

  it("fails where the engine goes on after a child has failed, and has nothing to say in a preview", async () => {
    answers.set(child(1), () => Promise.reject(new Error("Its child has failed.")));
    await expect(construct({ projectIds: [id(1), id(2)], ...MONITORING })).rejects.toThrow(/^Its child has failed\.$/);
    isPreview = true;
    expect(await construct({ projectIds: [id(1), id(2)], ...MONITORING })).toBe(UNKNOWN_OUTPUT);
    expect([held, recorded]).toEqual([[], []]);
  });

  it("has an unknown output where a child is not a target of the update", async () => {
    answers.set(child(1), async () => undefined);
    expect(await construct({ projectIds: [id(1), id(2)], ...MONITORING })).toBe(UNKNOWN_OUTPUT);
    expect(recorded).toEqual([]);
  });

  it.each([
    { description: "a project", args: { projectIds: [id(1), seal(id(2))], ...MONITORING } },
    { description: "the list of projects", args: { projectIds: seal([id(1), id(2)]), ...MONITORING } },
    { description: "the list of agents", args: { projectIds: [id(1), id(2)], agents: seal(["monitoring"]) } },
    { description: "a project of a map", args: { projects: { a: id(1), b: seal(id(2)) }, ...MONITORING } },
    { description: "the map of projects", args: { projects: seal({ a: id(1), b: id(2) }), ...MONITORING } },
  ])("keeps all of it secret where $description is", async ({ args }) => {
    expect(await construct(args)).toEqual(seal([expect.anything(), expect.anything()]));
    expect([...registered.values()].map(({ projectId }) => projectId)).toEqual([id(1), id(2)].map(seal));
  });

  it.each([
    { description: "projects", args: { projectIds: UNKNOWN, ...MONITORING }, names: [] },
    { description: "agents", args: { projectIds: [id(1)], agents: UNKNOWN }, names: [] },
    {
      description: "a project of several",
      args: { projectIds: [id(1), UNKNOWN, id(2)], ...MONITORING },
      names: [child(1), child(2)],
    },
    { description: "map of projects", args: { projects: UNKNOWN, ...MONITORING }, names: [] },
    {
      description: "project of a map",
      args: { projects: { a: id(1), b: UNKNOWN }, ...MONITORING },
      names: ["fleet-a-monitoring"],
    },
  ])(
    "has an unknown output while its $description are not known, and the children that are",
    async ({ args, names }) => {
      expect(await construct(args)).toBe(UNKNOWN_OUTPUT);
      expect([...registered.keys()]).toEqual(names);
    },
  );

  it("names the projects that are malformed in one sentence, after the others are registered", async () => {
    gone.add(id(2));
    answers.set(child(2), NEVER);
    const args = { projectIds: ["a::b", id(1), 5, id(2), "a::b"], ...MONITORING };
    await expect(construct(args)).rejects.toThrow(
      /^a::b\/monitoring: Nothing was read: projectId must be 24 hexadecimal digits\.\n5\/monitoring: .* not a number\.$/,
    );
    expect([...registered.keys()]).toEqual([child(1), child(2)]);
  });

  it("names a malformed project by its name in the map", async () => {
    await expect(construct({ projects: { orders: "a::b", billing: id(1) }, ...MONITORING })).rejects.toThrow(
      /^orders\/monitoring: Nothing was read: projectId must be 24 hexadecimal digits\.$/,
    );
    expect([...registered.keys()]).toEqual(["fleet-billing-monitoring"]);
  });

  it.each<{ description: string; args: Properties; sentence: string }>([
    {
      description: "neither list nor map",
      args: { projectIds: null },
      sentence:
        "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of your own to project ids.",
    },
    {
      description: "both",
      args: { projectIds: [id(1)], projects: { a: id(1) } },
      sentence: "projectIds and projects are both given; give one of them.",
    },
    ...[[id(1)], "a", 5].map((projects) => ({
      description: `the map ${JSON.stringify(projects)}`,
      args: { projects },
      sentence: "projects must be a map from names to project ids.",
    })),
    ...["", "-a", "x".repeat(81)].map((name) => ({
      description: `the name ${JSON.stringify(name)}`,
      args: { projects: { a: id(1), [name]: id(2) } },
      sentence: `"${name.slice(0, 79)}${name.length > 79 ? "…" : '"'} can't be the name of a project: begin with a letter or a digit, and take at most 80 printable characters.`,
    })),
  ])("refuses $description before anything is read", async ({ args, sentence }) => {
    await expect(construct(args)).rejects.toThrow(new Error(`Nothing was read: ${sentence}`));
    expect([asked, registered.size]).toEqual([[], 0]);
  });

  it("says what is wrong with its rules before anything is read", async () => {
    const mistaken = construct({ projectIds: [id(1)], expect: { logPat: "/x" }, whenUnavailable: UNKNOWN });
    await expect(mistaken).rejects.toThrow(
      /^Nothing was read: the argument expect has unknown names: logPat; the valid ones are /,
    );
    expect([asked, registered.size]).toEqual([[], 0]);
  });
});
