import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { AGENT_LOG_CONFIG_TYPE, AgentLogConfigs, type AgentLogConfigsArgs, Provider } from "../../sdk/index.ts";
import { SIGNATURE_KEY } from "../../sdk/shared/engine-marks.ts";
import { answerReads } from "../../sdk/testing/index.ts";

const [ONE, TWO, GONE] = ["0123456789abcdef0123456a", "0123456789abcdef0123456b", "f".repeat(24)];
const MONITORING = { agents: ["monitoring"] } as const;

beforeEach(() => {
  const settings = (project: string) => ({
    monitoring: { logPath: `/${project}`, configOverrides: { mmsApiKey: "k" } },
    backup: { logRotate: { sizeThresholdMB: 1000 } },
  });
  onTestFinished(answerReads({ [ONE]: settings("one"), [TWO]: settings("two") }));
});

// What is still being registered must not meet the mocks of the next test.
afterEach(() => pulumi.runtime.disconnect());

type Registered = pulumi.runtime.MockResourceArgs;

/** Runs as a program does, and returns what it registers. */
function inDeployment({ preview = false } = {}): Registered[] {
  const registered: Registered[] = [];
  const newResource = (args: Registered) => {
    registered.push(args);
    const isNew = preview && args.type === "test:index:Other";
    return { id: isNew ? "" : args.name, state: args.inputs };
  };
  pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", preview);
  return registered;
}

/** A resource of another package; in a preview of a new one its id is not known yet. */
class Other extends pulumi.CustomResource {
  constructor(name: string) {
    super("test:index:Other", name, {});
  }
}

const childrenIn = (registered: readonly Registered[]) =>
  registered.filter(({ type }) => type === AGENT_LOG_CONFIG_TYPE);
const namesIn = (registered: readonly Registered[]) => childrenIn(registered).map(({ name }) => name);

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  // A failed Output is told by the rejection of its promise alone.
  if (!("promise" in output && typeof output.promise === "function")) throw new TypeError("no promise");
  return output.promise();
}

describe("AgentLogConfigs", () => {
  it("makes a child of each agent of each project, once, and returns their settings in the order of the lists", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [TWO, ONE, TWO.toUpperCase(), TWO] });
    expect(await resolved(fleet.configs)).toEqual([
      { id: `${TWO}/monitoring`, projectId: TWO, agent: "monitoring", logPath: "/two" },
      { id: `${TWO}/backup`, projectId: TWO, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
      { id: `${ONE}/monitoring`, projectId: ONE, agent: "monitoring", logPath: "/one" },
      { id: `${ONE}/backup`, projectId: ONE, agent: "backup", logRotate: { sizeThresholdMB: 1000 } },
    ]);
    expect(namesIn(registered)).toEqual([TWO, ONE].flatMap((id) => [`fleet-${id}-monitoring`, `fleet-${id}-backup`]));
    const [{ inputs } = { inputs: {} }] = childrenIn(registered);
    expect(inputs).toMatchObject({ projectId: TWO, agent: "monitoring", logPath: "/two" });
    expect(inputs["configOverrides"]).toHaveProperty([SIGNATURE_KEY]);
  });

  it.each<{ description: string; args: () => AgentLogConfigsArgs }>([
    {
      description: "Outputs",
      args: () => ({ projectIds: pulumi.output([ONE]), agents: pulumi.output(["monitoring"]) }),
    },
    { description: "Promises", args: () => ({ projectIds: Promise.resolve([ONE]), ...MONITORING }) },
    {
      description: "lists of Outputs",
      args: () => ({ projectIds: [pulumi.output(ONE)], agents: [pulumi.output("monitoring" as const)] }),
    },
  ])("takes $description", async ({ args }) => {
    const registered = inDeployment();
    expect(await resolved(new AgentLogConfigs("fleet", args()).configs)).toMatchObject([{ logPath: "/one" }]);
    expect(namesIn(registered)).toEqual([`fleet-${ONE}-monitoring`]);
  });

  it("makes everything secret where a project is", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", { projectIds: [ONE, pulumi.secret(TWO)], ...MONITORING });
    expect(await resolved(fleet.configs)).toHaveLength(2);
    expect(await pulumi.isSecret(fleet.configs)).toBe(true);
    for (const { inputs } of childrenIn(registered)) expect(inputs["projectId"]).toHaveProperty([SIGNATURE_KEY]);
  });

  it("warns of what is not as expected, and records it", async () => {
    const registered = inDeployment();
    const fleet = new AgentLogConfigs("fleet", {
      projectIds: [ONE, TWO],
      expect: { logRotate: { sizeThresholdMB: { atMost: 500 } } },
      agents: ["backup"],
      whenUnexpected: pulumi.output("warn" as const),
    });
    expect(await resolved(fleet.configs)).toHaveLength(2);
    expect(namesIn(registered)).toHaveLength(2);
    expect(vi.mocked(console.warn).mock.calls.flat().join()).toMatch(
      `2 fail alike: ${ONE}/backup, ${TWO}/backup. logRotate.sizeThresholdMB is 1000, expected at most 500;`,
    );
    vi.mocked(console.warn).mockClear();
  });

  it("fails with its name and all reasons, in one text whatever prints it, after the others are recorded", async () => {
    // A failed Output is a rejection that nobody handles, several times.
    const program = `
      import * as pulumi from "@pulumi/pulumi";
      import { AgentLogConfigs } from "pulumi-agent-log-config";
      import { answerReads } from "pulumi-agent-log-config/testing";
      const [printed, names] = [new Set(), []];
      process.on("unhandledRejection", (error) => {
        error.message = "error serializing property: " + error.message;
        printed.add(error.message).add(error.stack);
      });
      process.on("exit", () => console.log(JSON.stringify({ printed: [...printed], names })));
      const newResource = ({ name, inputs }) => (names.push(name), { id: name, state: inputs });
      await pulumi.runtime.setMocks({ newResource, call: () => ({}) });
      answerReads({ "${ONE}": { backup: { logPath: "/one" } }, "${TWO}": { backup: { logPath: "/two" } } });
      const fleet = { projectIds: ["${GONE}", "${ONE}", "${TWO}", "malformed"], agents: ["backup"] };
      new AgentLogConfigs("reads", fleet);
      new AgentLogConfigs("expects", { ...fleet, projectIds: ["${ONE}", "${TWO}"], expect: { logPath: "/one" } });
      new AgentLogConfigs("mistaken", { ...fleet, whenUnexpected: "ignore" });`;
    const cwd = path.resolve(import.meta.dirname, "../..");
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd });
    const { printed, names }: { printed: string[]; names: string[] } = JSON.parse(stdout);
    expect(printed.sort()).toEqual([
      expect.stringMatching(
        /^AgentLogConfigs 'expects': 1 of 2 fail\.\n\w+\/backup: logPath is "\/two", expected "\/one";/,
      ),
      expect.stringMatching(/^AgentLogConfigs 'mistaken': Nothing was read: whenUnexpected must be "fail" or "warn"\./),
      expect.stringMatching(
        /^AgentLogConfigs 'reads': 2 of 4 fail\.\nf{24}\/backup: Can't .*\nmalformed\/backup: Nothing/,
      ),
    ]);
    const children = names.filter((name) => name.endsWith("-backup"));
    expect(children.sort()).toEqual([`expects-${ONE}-backup`, `reads-${ONE}-backup`, `reads-${TWO}-backup`]);
  });
});

describe("a preview", () => {
  const known = async (output: pulumi.Output<unknown>) => "isKnown" in output && (await output.isKnown);

  it("leaves the output unknown while the list of projects is", async () => {
    const registered = inDeployment({ preview: true });
    const fleet = new AgentLogConfigs("fleet", { projectIds: new Other("o").id.apply(() => [ONE]) });
    expect(await known(fleet.configs)).toBe(false);
    expect(namesIn(registered)).toEqual([]);
  });

  it.each<{ description: string; make: () => AgentLogConfigs }>([
    {
      description: "one of the projects",
      make: () =>
        new AgentLogConfigs("fleet", { projectIds: [ONE, new Other("o").id, pulumi.output(TWO)], ...MONITORING }),
    },
    {
      description: "what it depends on",
      make: () =>
        new AgentLogConfigs("fleet", { projectIds: [ONE, TWO], ...MONITORING }, { dependsOn: new Other("o") }),
    },
    {
      description: "its connection",
      make: () => {
        const provider = new Provider("p", { publicKey: new Other("o").id });
        return new AgentLogConfigs("fleet", { projectIds: pulumi.output([ONE, TWO]), ...MONITORING }, { provider });
      },
    },
  ])("keeps the children that are known while $description is to be created", async ({ make }) => {
    const registered = inDeployment({ preview: true });
    expect(await known(make().configs)).toBe(false);
    await vi.waitUntil(() => namesIn(registered).length === 2);
    expect(namesIn(registered)).toEqual([ONE, TWO].map((id) => `fleet-${id}-monitoring`));
  });
});
