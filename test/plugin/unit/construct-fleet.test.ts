import { beforeEach, describe, expect, it } from "vitest";
import { AgentLogConfigError } from "../../../sdk/client/errors.ts";
import { parseArgument } from "../../../sdk/client/parse-argument.ts";
import { readArgumentsSchema } from "../../../sdk/client/read-arguments-schema.ts";
import { SECRET_SIGNATURE, SIGNATURE_KEY, UNKNOWN } from "../../../sdk/shared/engine-marks.ts";
import type { AskedRead } from "../../../sdk/shared/read-many.ts";
import { settingsOf } from "../../shared/settings-of.ts";
import { FleetEngine } from "../fleet-engine.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");
const seal = (value: unknown) => ({ [SIGNATURE_KEY]: SECRET_SIGNATURE, value });
const child = (index: number) => `fleet-${id(index)}-monitoring`;
const MONITORING = { agents: ["monitoring"] };

let asked: string[];
let paths: Map<string, string>;
let gone: Set<string>;
let isDown: boolean;
let engine: FleetEngine;

async function read(args: AskedRead) {
  const { projectId, agent } = parseArgument(readArgumentsSchema, args, "Nothing was read");
  asked.push(projectId);
  if (isDown) throw new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { subject: `Project ${projectId}` });
  if (gone.has(projectId))
    throw new AgentLogConfigError("ERR_PROJECT_NOT_FOUND", "it is gone", { subject: `Project ${projectId}` });
  return {
    ...settingsOf({ projectId, agent }),
    logPath: paths.get(projectId) ?? "/log",
    configOverrides: { key: "k" },
  };
}

beforeEach(() => {
  [asked, paths, gone, isDown] = [[], new Map(), new Set(), false];
  engine = new FleetEngine(read);
});

describe("a fleet of the plugin", () => {
  it("returns the settings in the order of the list, without secrets, and reads each once", async () => {
    const { configs, steps } = await engine.upByPlugin({
      projectIds: [id(2), id(1), id(2).toUpperCase()],
      agents: ["backup"],
    });
    const settings = { logPath: "/log", logPathWindows: null, logRotate: null, username: null };
    expect(configs).toEqual(
      [id(2), id(1)].map((of) => ({ id: `${of}/backup`, projectId: of, agent: "backup", ...settings })),
    );
    expect(steps).toEqual({ [`fleet-${id(2)}-backup`]: "create", [`fleet-${id(1)}-backup`]: "create" });
    expect(asked).toEqual([id(2), id(1)]);
  });

  it("compares those that can be read, and keeps the records of those that fail", async () => {
    const args = { projectIds: [0, 1, 2, 3, 4].map(id), ...MONITORING };
    await engine.upByPlugin(args);
    gone = new Set([id(1), id(3)]);
    paths.set(id(2), "/drifted");
    const { failure, configs, steps } = await engine.upByPlugin(args);
    expect(steps).toEqual({ [child(0)]: "same", [child(2)]: "update", [child(4)]: "same" });
    expect(failure).toMatch(
      new RegExp(
        `^2 of 5 fail\\.\n2 fail alike: ${id(1)}/monitoring, ${id(3)}/monitoring\\. Project ${id(1)}: it is gone\\.`,
      ),
    );
    expect(configs).toBeUndefined();
    expect([1, 2].map((index) => engine.records.get(child(index))?.inputs["logPath"])).toEqual(["/log", "/drifted"]);
  });

  it("gives up the child of a project that has left the list", async () => {
    await engine.upByPlugin({ projectIds: [id(1), id(2)], ...MONITORING });
    gone.add(id(2));
    expect(await engine.upByPlugin({ projectIds: [id(1)], ...MONITORING })).toMatchObject({ failure: undefined });
    expect([...engine.records.keys()]).toEqual([child(1)]);
  });

  it("uses the records in an outage, with one warning, and fails for those that have none", async () => {
    const args = { projectIds: [id(1), id(2)], ...MONITORING, whenUnavailable: "useRecorded" };
    const before = await engine.upByPlugin(args);
    isDown = true;
    const during = await engine.upByPlugin(args);
    expect(during.configs).toEqual(before.configs);
    expect(during.steps).toEqual({ [child(1)]: "same", [child(2)]: "same" });
    expect(during.warnings).toEqual([
      expect.stringMatching(
        /^2 of 2 use the recorded settings, of which the oldest were first read less than a minute ago .* it is down\./,
      ),
    ]);
    const more = await engine.upByPlugin({ ...args, projectIds: [id(3), id(1), id(4), "malformed"] });
    expect(more.failure).toMatch(
      /^3 of 4 fail\.\nmalformed\/monitoring: .*\n2 fail alike: \S+3\/monitoring, \S+4\/monitoring\. /,
    );
    expect(more.warnings).toEqual([expect.stringMatching(/^1 of 4 use the recorded settings/)]);
    expect([...engine.records.keys()]).toEqual([child(1), child(2)]);
  });

  it("judges in an outage what is recorded", async () => {
    const args = { projectIds: [id(1)], ...MONITORING, whenUnavailable: "useRecorded" };
    await engine.upByPlugin(args);
    isDown = true;
    const { failure, warnings } = await engine.upByPlugin({ ...args, expect: { logPath: "/other" } });
    expect(failure).toMatch(/^1 of 1 fail\.\n\S+\/monitoring: logPath is "\/log", expected "\/other"/);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    { description: "a project", args: { projectIds: [id(1), seal(id(2))], ...MONITORING } },
    { description: "the list of projects", args: { projectIds: seal([id(1), id(2)]), ...MONITORING } },
    { description: "the list of agents", args: { projectIds: [id(1), id(2)], agents: seal(["monitoring"]) } },
  ])("keeps all of it secret where $description is", async ({ args }) => {
    const { configs } = await engine.upByPlugin(args);
    expect(configs).toEqual(seal([expect.anything(), expect.anything()]));
    expect([1, 2].map((index) => engine.registered.get(child(index))?.["projectId"])).toEqual([id(1), id(2)].map(seal));
  });

  it("quotes nothing of an expectation that is secret", async () => {
    const { failure } = await engine.upByPlugin({
      projectIds: [id(1)],
      ...MONITORING,
      expect: seal({ logPath: "/other" }),
    });
    expect(failure).toMatch(/logPath is not as expected/);
  });

  it.each([
    { description: "projects", args: { projectIds: UNKNOWN, ...MONITORING }, names: [] },
    { description: "agents", args: { projectIds: [id(1)], agents: UNKNOWN }, names: [] },
    {
      description: "a project of several",
      args: { projectIds: [id(1), UNKNOWN, id(2)], ...MONITORING },
      names: [child(1), child(2)],
    },
  ])(
    "has an unknown output while its $description are not known, and the children that are",
    async ({ args, names }) => {
      expect(await engine.upByPlugin(args)).toMatchObject({ failure: undefined, configs: UNKNOWN });
      expect([...engine.registered.keys()]).toEqual(names);
    },
  );

  it("says what is wrong with its arguments, and null is none", async () => {
    const absent = { agents: null, expect: null, whenUnexpected: null, whenUnavailable: null };
    expect(await engine.upByPlugin({ projectIds: [], ...absent })).toMatchObject({
      failure: undefined,
      configs: [],
    });
    const mistaken = await engine.upByPlugin({ projectIds: [id(1)], expect: { logPat: "/x" } });
    expect(mistaken.failure).toMatch(/^Nothing was read: .*unknown names: logPat; the valid ones are logPath, /);
    expect(asked).toEqual([]);
  });
});
