import { describe, expect, it } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { parseArgument } from "../../sdk/client/parse-argument.ts";
import { readArgumentsSchema } from "../../sdk/client/read-arguments-schema.ts";
import { readFleet } from "../../sdk/shared/read-fleet.ts";
import type { AskedRead } from "../../sdk/shared/read-many.ts";
import { settingsOf } from "./settings-of.ts";

const id = (index: number) => (0xa0 + index).toString(16).padStart(24, "0");

/** A service that answers every well-formed read, except those of the projects that are named. */
function open(failing: Readonly<Record<string, AgentLogConfigErrorCode>> = {}) {
  const asked: string[] = [];
  const read = async (args: AskedRead) => {
    asked.push(`${args.projectId}/${args.agent}`);
    const { projectId, agent } = parseArgument(readArgumentsSchema, args, "Nothing was read");
    const code = failing[projectId];
    if (code === undefined) return settingsOf({ projectId, agent });
    const subject = `Can't read the ${agent} agent's log settings of project ${projectId}`;
    throw new AgentLogConfigError(code, code, { subject });
  };
  return { asked, read: (args: object, secrets: readonly string[] = []) => readFleet(read, args, secrets) };
}

const SEE = (code: string) => `See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}.`;
const MONITORING = { agents: ["monitoring"] };
const idsOf = (members: readonly AskedRead[]) => members.map(({ projectId, agent }) => `${projectId}/${agent}`);

describe("the members of a fleet", () => {
  it("are in the order of the lists, both agents of a project by default", async () => {
    const { members, report } = await open().read({ projectIds: [id(2), id(1)] });
    expect(idsOf(members)).toEqual([id(2), id(1)].flatMap((of) => [`${of}/monitoring`, `${of}/backup`]));
    expect([report.warnings, report.failure]).toEqual([[], undefined]);
  });

  it("are read once each, also where an id is given twice or in another case", async () => {
    const { asked, read } = open();
    const projectIds = [id(1), id(2), id(1).toUpperCase(), id(1)];
    const { members } = await read({ projectIds, agents: ["backup", "backup"] });
    expect(idsOf(members)).toEqual([`${id(1)}/backup`, `${id(2)}/backup`]);
    expect(asked).toEqual(idsOf(members));
  });

  it.each([{ projectIds: [] }, { projectIds: [id(1)], agents: [] }])(
    "are none for $projectIds, $agents",
    async (args) => {
      const { members, report } = await open().read(args);
      expect([members, report.failure]).toEqual([[], undefined]);
    },
  );
});

describe("the failure of a fleet", () => {
  it("names each member that fails, each cause once", async () => {
    const failing = {
      [id(1)]: "ERR_PROJECT_NOT_FOUND",
      [id(3)]: "ERR_ROLE_MISSING",
      [id(4)]: "ERR_PROJECT_NOT_FOUND",
    } as const;
    const projectIds = [0, 1, 2, 3, 4].map(id);
    const { members, report } = await open(failing).read({ projectIds, ...MONITORING });
    expect(idsOf(members)).toEqual([`${id(0)}/monitoring`, `${id(2)}/monitoring`]);
    expect(report.failure).toBe(
      [
        "3 of 5 fail.",
        `2 fail alike: ${id(1)}/monitoring, ${id(4)}/monitoring. Can't read the monitoring agent's log settings of project ${id(1)}: ERR_PROJECT_NOT_FOUND. ${SEE("ERR_PROJECT_NOT_FOUND")}`,
        `${id(3)}/monitoring: Can't read the monitoring agent's log settings of project ${id(3)}: ERR_ROLE_MISSING. ${SEE("ERR_ROLE_MISSING")}`,
      ].join("\n"),
    );
  });

  it("names 50 members of a cause, and says how many more there are", async () => {
    const projectIds = Array.from({ length: 70 }, (_, index) => id(index));
    const failing = Object.fromEntries(projectIds.slice(1).map((each) => [each, "ERR_PROJECT_NOT_FOUND" as const]));
    const { report } = await open(failing).read({ projectIds, ...MONITORING });
    const named = new Set(report.failure?.match(/\b[0-9a-f]{24}\/monitoring\b/g));
    expect([...named]).toEqual(projectIds.slice(1, 51).map((each) => `${each}/monitoring`));
    expect(report.failure).toMatch(/^69 of 70 fail\.\n69 fail alike: .* and 19 others\. Can't/);
  });

  it.each([
    { description: "text", malformed: "malformed", named: "malformed" },
    { description: "nothing", malformed: null, named: "null" },
    { description: "a number", malformed: 7, named: "7", rest: " in quotes, not a number" },
    { description: "a line that a terminal would obey", malformed: "\u001B[2x", named: "\uFFFD[2x" },
  ])(
    "says that an id is malformed, and the others are read ($description)",
    async ({ malformed, named, rest = "" }) => {
      const { members, report } = await open().read({ projectIds: [malformed, id(1)], ...MONITORING });
      expect(idsOf(members)).toEqual([`${id(1)}/monitoring`]);
      expect(report.failure).toBe(
        `1 of 2 fail.\n${named}/monitoring: Nothing was read: projectId must be 24 hexadecimal digits${rest}. ${SEE("ERR_INVALID_ARG_VALUE")}`,
      );
    },
  );

  it.each([
    { args: {}, message: "Nothing was read: projectIds must be a list." },
    { args: { projectIds: id(1) }, message: "Nothing was read: projectIds must be a list." },
    { args: { projectIds: [], agents: "backup" }, message: "agents must be a list" },
    {
      args: { projectIds: [], projectIDs: [] },
      message: "unknown names: projectIDs; the valid ones are projectIds, agents, expect",
    },
    { args: { projectIds: [], whenUnexpected: "ignore" }, message: 'whenUnexpected must be "fail" or "warn"' },
    { args: { projectIds: [], whenUnavailable: "ignore" }, message: 'whenUnavailable must be "fail" or "useRecorded"' },
    { args: { projectIds: [], expect: {} }, message: "expect must have a setting" },
  ])("is the whole of it with the arguments $args, and nothing is read", async ({ args, message }) => {
    const { asked, read } = open();
    await expect(read(args)).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });

  it("is the reason alone where no read can succeed", async () => {
    const projectIds = [id(1), id(2)];
    const fleet = open({ [id(1)]: "ERR_WRONG_KEY", [id(2)]: "ERR_WRONG_KEY" }).read({ projectIds });
    await expect(fleet).rejects.toMatchObject({ code: "ERR_WRONG_KEY" });
  });
});

describe("an outage of a fleet", () => {
  const DOWN = { [id(1)]: "ERR_UNAVAILABLE", [id(2)]: "ERR_TIMEOUT", [id(3)]: "ERR_ROLE_MISSING" } as const;
  const projectIds = [0, 1, 2, 3].map(id);

  it("fails it by default", async () => {
    const { members, report } = await open(DOWN).read({ projectIds, ...MONITORING });
    expect(idsOf(members)).toEqual([`${id(0)}/monitoring`]);
    expect(report.failure).toMatch(/^3 of 4 fail\./);
  });

  it("leaves the recorded settings to be used, except where the service has refused", async () => {
    const { members, report } = await open(DOWN).read({ projectIds, ...MONITORING, whenUnavailable: "useRecorded" });
    expect(members.map(({ outage }) => outage?.code)).toEqual([undefined, "ERR_UNAVAILABLE", "ERR_TIMEOUT"]);
    expect(report.failure).toMatch(/^1 of 4 fail\.\n\S+: Can't .*ERR_ROLE_MISSING\. /);
    expect(report.warnings).toEqual([]);
  });

  it("is one warning that says how many use their record, and the oldest of them", async () => {
    const { members, report } = await open(DOWN).read({ projectIds, ...MONITORING, whenUnavailable: "useRecorded" });
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const times = [hoursAgo(5), hoursAgo(30)];
    for (const { projectId, outage } of members) {
      if (outage !== undefined) report.useRecord(`${projectId}/monitoring`, {}, times.pop(), outage.message);
    }
    expect(report.warnings).toEqual([
      expect.stringMatching(
        /^2 of 4 use the recorded settings, of which the oldest were first read 30 h ago \(\S+Z\)\. Can't read .*: ERR_UNAVAILABLE\. /,
      ),
    ]);
  });
});

describe("what is expected of a fleet", () => {
  const projectIds = [id(1), id(2)];
  const args = { projectIds, expect: { logPath: "/var/log/backup" } };

  it("fails those that are not as expected, which are not recorded", async () => {
    const { members, report } = await open().read(args);
    expect(idsOf(members)).toEqual(projectIds.map((each) => `${each}/backup`));
    expect(report.failure).toBe(
      `2 of 4 fail.\n2 fail alike: ${id(1)}/monitoring, ${id(2)}/monitoring. logPath is "/var/log/monitoring", expected "/var/log/backup"; change it in the service, or change expect.`,
    );
  });

  it("or is a warning for each cause, and all are recorded", async () => {
    const { members, report } = await open().read({ ...args, whenUnexpected: "warn" });
    expect(members).toHaveLength(4);
    expect(report.failure).toBeUndefined();
    expect(report.warnings).toEqual([
      expect.stringMatching(/^2 fail alike: \S+, \S+ logPath is "\/var\/log\/monitoring"/),
    ]);
  });

  it("is compared with the recorded settings in an outage", async () => {
    const down = { [id(1)]: "ERR_UNAVAILABLE" } as const;
    const { members, report } = await open(down).read({ ...args, agents: ["backup"], whenUnavailable: "useRecorded" });
    expect(members).toHaveLength(2);
    report.useRecord(`${id(1)}/backup`, { logPath: "/old" }, undefined, "It is down.");
    expect(report.warnings).toEqual(["1 of 2 use the recorded settings. It is down."]);
    expect(report.failure).toMatch(/^1 of 2 fail\.\n\S+: logPath is "\/old", expected/);
  });

  it("is not quoted where it is secret", async () => {
    const { report } = await open().read(args, ["logPath"]);
    expect(report.failure).toMatch(/logPath is not as expected/);
    expect(report.failure).not.toContain("/var/log");
  });
});
