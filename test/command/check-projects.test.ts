import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { checkProjects } from "../../sdk/command/check-projects.ts";
import { hasProject, readStack, selectedStack } from "../../sdk/command/read-stack.ts";
import { AgentLogConfigError } from "../../sdk/model/errors.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { queueFaults } from "../testing/queue-faults.ts";
import { type Environment, environmentOf } from "./run-main.ts";

vi.mock("../../sdk/command/read-stack.ts", () => ({ readStack: vi.fn(), hasProject: vi.fn(), selectedStack: vi.fn() }));

const IDS = Array.from({ length: 40 }, (_, index) => String(index).padStart(24, "0"));
const [FIRST = "", SECOND = "", THIRD = ""] = IDS;

let stdout: string;
let stderr: string;

beforeEach(() => {
  [stdout, stderr] = ["", ""];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  stub({ NO_COLOR: "1", FORCE_COLOR: undefined });
  vi.mocked(readStack).mockReset();
  vi.mocked(hasProject).mockReset().mockReturnValue(false);
  vi.mocked(selectedStack).mockReset().mockResolvedValue("selected");
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
});

function stub(environment: Environment): void {
  for (const [name, text] of Object.entries(environment)) vi.stubEnv(name, text);
}

/** A service that has these projects, and the environment in which the command reaches it. */
async function start(projectIds: readonly string[] = IDS, environment: Environment = {}): Promise<Service> {
  const settings = projectIds.map((id) => [id, { monitoring: { logPath: `/log/${Number(id)}` } }]);
  const service = await openService({ settings: Object.fromEntries(settings) });
  stub({ ...environmentOf(service), ...environment });
  return service;
}

function projects(ids: readonly string[]): string[] {
  return ids.flatMap((id) => ["--project", id]);
}

/** What the command prints as JSON, and its exit code. */
async function report(...args: readonly string[]) {
  const exitCode = await checkProjects([...args, "--json"]);
  const printed: Readonly<Record<string, unknown>> = JSON.parse(stdout);
  return { ...printed, exitCode };
}

describe("for one project", () => {
  it("prints where the settings and the logs are, and ends with 0", async () => {
    const service = await start();
    expect(await checkProjects(projects([FIRST]))).toBe(0);
    const { origin } = new URL(service.baseUrl);
    expect(stderr).toBe(`Settings from the environment: baseUrl ${origin}, publicKey, privateKey, allowHttp\n`);
    expect(stdout).toBe(`✓ ${FIRST}/monitoring logs to /log/0
✓ ${FIRST}/backup logs to standard error, on Windows to the Event Log
`);
  });

  it.each([{ args: [] }, { args: ["--json"] }])(
    "says on standard error what it does meanwhile: $args",
    async ({ args }) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
      onTestFinished(() => void vi.useRealTimers());
      const service = await start();
      queueFaults(service, { delaySeconds: 25 });
      const checked = checkProjects([...projects([FIRST, SECOND]), ...args]);
      while (service.requests.length < 2) await setImmediate();
      expect(stderr).toMatch(/^Settings from the environment: .*\n$/);
      await vi.advanceTimersByTimeAsync(3000);
      expect(stderr).toMatch(/^Settings .*\n0\/4 read\n$/);
      expect(stdout).toBe("");
      await vi.advanceTimersByTimeAsync(22_000);
      expect(await checked).toBe(0);
      expect(stderr).toMatch(/\n4\/4 read\n$/);
      expect(stdout).toMatch(args.length === 0 ? /^✓ / : /^\{\n/);
    },
  );

  it("judges settings that do not matter to the read, as a program does", async () => {
    const service = await start([FIRST], { AGENT_LOG_CONFIG_MAX_RETRIES: "many" });
    const message = expect.stringContaining("maxRetries (the environment variable AGENT_LOG_CONFIG_MAX_RETRIES)");
    expect(await report(...projects([FIRST]))).toMatchObject({
      settings: { baseUrl: "environment", maxRetries: "environment" },
      warnings: [],
      failures: [{ code: "ERR_INVALID_SETTINGS", message }],
    });
    expect(service.requests).toEqual([]);
  });

  it("fails where a program would", async () => {
    const service = await start();
    service.set(FIRST, "backup", { logPath: "/log\u001b[2J" });
    const message = expect.stringContaining("logPath has control characters");
    expect(await report(...projects([FIRST]))).toMatchObject({
      configs: [{ projectId: FIRST, agent: "monitoring", logPath: "/log/0" }],
      failures: [{ projectId: FIRST, agent: "backup", code: "ERR_INVALID_RESPONSE", message }],
    });
  });

  it.each([
    [{ logPathWindows: "C:\\b.log" }, "on Windows C:\\b.log"],
    [{ logPath: "/b.log", logPathWindows: "C:\\b.log" }, "/b.log, on Windows C:\\b.log"],
  ])("names the paths of an agent: %j", async (paths, destination) => {
    const service = await start();
    service.set(FIRST, "backup", paths);
    await checkProjects(projects([FIRST]));
    expect(stdout).toContain(`/backup logs to ${destination}\n`);
  });

  it("prints nothing that a terminal would obey", async () => {
    const service = await start();
    service.set(FIRST, "backup", { logPath: "/log\u202e[2J" });
    await checkProjects(projects([FIRST]));
    expect(stdout).toContain("backup logs to /log\uFFFD[2J");
  });
});

describe("for many projects", () => {
  it("connects once and reads every project once", async () => {
    const service = await start();
    const found = await report(...projects([...IDS, ...IDS]));
    const paths = IDS.flatMap((_, index) => [{ logPath: `/log/${index}` }, {}]);
    expect(found).toMatchObject({ ok: true, exitCode: 0, configs: paths });
    const statuses = Map.groupBy(service.requests, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(80);
    // One challenge for each connection.
    expect(statuses.get(401)?.length).toBeLessThanOrEqual(16);
  });

  it("lists what was read and what has failed, and ends with 1", async () => {
    await start([FIRST, THIRD]);
    const found = await report(...projects([FIRST, SECOND, THIRD]));
    const failure = { projectId: SECOND, code: "ERR_PROJECT_NOT_FOUND", temporary: false };
    expect(found).toMatchObject({
      ok: false,
      exitCode: 1,
      configs: [
        { projectId: FIRST, agent: "monitoring", logPath: "/log/0" },
        { projectId: FIRST, agent: "backup" },
        { projectId: THIRD, agent: "monitoring", logPath: "/log/2" },
        { projectId: THIRD, agent: "backup" },
      ],
      failures: [
        { ...failure, agent: "monitoring", message: expect.stringContaining(SECOND) },
        { ...failure, agent: "backup", message: expect.stringContaining(SECOND) },
      ],
    });
  });

  it("says each cause once", async () => {
    await start([THIRD]);
    expect(await checkProjects(projects([FIRST, SECOND, THIRD]))).toBe(1);
    const [, , failures = "", ...rest] = stdout.split("\n");
    expect(failures).toMatch(/^✗ Can't read the monitoring agent's log settings of project 0{24} /);
    expect(failures).toMatch(/ The same applies to 0{24}\/backup, 0{23}1\/monitoring, 0{23}1\/backup\.$/);
    expect(rest).toEqual([""]);
  });

  it("goes on after an outage of the first one", async () => {
    const service = await start();
    queueFaults(service, { status: 503 });
    const found = await report(...projects([FIRST, SECOND]));
    expect(found).toMatchObject({ configs: [{}, {}, {}], failures: [{ temporary: true }] });
    // A retry would hide the failure.
    expect(service.requests.filter(({ status }) => status === 503)).toHaveLength(1);
  });
});

it("is coloured on a terminal", async () => {
  const service = await start([FIRST]);
  service.set(FIRST, "backup", { logPath: "/log\u001b[2J" });
  stub({ NO_COLOR: undefined, FORCE_COLOR: "1" });
  vi.mocked(hasProject).mockReturnValue(true);
  vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "no stack selected"));
  await checkProjects(projects([FIRST]));
  const lines = stdout.split("\n");
  const begins = lines.slice(0, -1).map((line) => line.slice(0, 6));
  expect(begins.filter((begin) => begin.startsWith("\u001b"))).toEqual(["\u001b[33m!", "\u001b[32m✓", "\u001b[31m✗"]);
});

describe("the settings", () => {
  const STACK = {
    "agent-log-config:privateKey": { value: "private-key-0001", secret: true },
    "agent-log-config:publicKey": { value: "publickey", secret: false },
  };
  const IN_STACK = { AGENT_LOG_CONFIG_PRIVATE_KEY: "", AGENT_LOG_CONFIG_PUBLIC_KEY: "wrong" };

  it("come from the stack, and what it lacks from the environment", async () => {
    await start(IDS, IN_STACK);
    vi.mocked(readStack).mockResolvedValue(STACK);
    const found = await report(...projects([FIRST]), "--stack", "dev");
    expect(readStack).toHaveBeenCalledExactlyOnceWith("dev");
    expect(found).toMatchObject({ ok: true });
    const [environment, fromStack] = ["environment", "stack dev"];
    const settings = { baseUrl: environment, publicKey: fromStack, privateKey: fromStack, allowHttp: environment };
    expect(found).toHaveProperty("settings", settings);
    expect(found).toMatchObject({ warnings: [] });
  });

  it("come from the selected stack in the folder of a program", async () => {
    await start(IDS, IN_STACK);
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockResolvedValue(STACK);
    const found = await report(...projects([FIRST]));
    expect(readStack).toHaveBeenCalledExactlyOnceWith(undefined);
    expect(found).toMatchObject({ ok: true, settings: { baseUrl: "environment", privateKey: "stack selected" } });
    expect(found).toMatchObject({ warnings: [] });
    expect(stderr).toMatch(/; from the stack selected: publicKey, privateKey\n/);
  });

  it("come from the selected stack also if its name can't be read", async () => {
    await start(IDS, IN_STACK);
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockResolvedValue(STACK);
    vi.mocked(selectedStack).mockResolvedValue(undefined);
    expect(await report(...projects([FIRST]))).toMatchObject({ settings: { privateKey: "selected stack" } });
  });

  it("come from the environment if the selected stack can't be read, which is a warning", async () => {
    await start();
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "no stack selected"));
    const found = await report(...projects([FIRST]));
    const warning = expect.stringMatching(/^no stack selected .*\. So check uses the environment alone\.$/);
    expect(found).toMatchObject({
      ok: true,
      exitCode: 0,
      warnings: [warning],
      settings: { privateKey: "environment" },
    });
  });

  it("are not looked up in the environment alone if the stack that is named can't be read", async () => {
    const service = await start();
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "no stack named 'dve' found"));
    const found = await report(...projects([FIRST]), "-s", "dve");
    expect(found).toMatchObject({ exitCode: 1, failures: [{ code: "ERR_STACK" }] });
    expect(service.requests).toEqual([]);
  });

  it("are named where a half of a wrong key comes from each", async () => {
    const service = await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "wrong" });
    vi.mocked(readStack).mockResolvedValue({ "agent-log-config:publicKey": { value: "publickey", secret: false } });
    const found = await report(...projects([FIRST]), "--stack", "dev");
    const message = expect.stringMatching(
      / publicKey comes from the configuration key agent-log-config:publicKey, and privateKey from the environment variable AGENT_LOG_CONFIG_PRIVATE_KEY\.$/,
    );
    expect(found).toMatchObject({ failures: Array(2).fill({ code: "ERR_WRONG_KEY", message }) });
    expect(service.requests).toHaveLength(2);
  });

  it("cause a warning that does not quote them", async () => {
    await start(IDS);
    vi.mocked(readStack).mockResolvedValue({
      "agent-log-config:privateKey": { value: "private-key-0001", secret: false },
    });
    const found = await report(...projects([FIRST]), "--stack", "dev");
    const warning = expect.stringMatching(/^The stack keeps agent-log-config:privateKey in plain text/);
    expect(found).toMatchObject({ ok: true, warnings: [warning] });
    expect(stdout).not.toContain("private-key-0001");
  });

  const ALONE = "There is no Pulumi project in this folder, so check used the environment alone.";

  it.each([
    { description: "there is no project", isInProject: false, args: [], says: ALONE },
    {
      description: "the selected stack lacks them",
      isInProject: true,
      args: [],
      says: "check used the environment and the stack selected.",
    },
    {
      description: "a stack lacks them",
      isInProject: false,
      args: ["--stack", "dev"],
      says: "check used the environment and the stack dev.",
    },
  ])("are suggested behind the message that they are missing: $description", async ({ isInProject, args, says }) => {
    const service = await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "" });
    vi.mocked(hasProject).mockReturnValue(isInProject);
    vi.mocked(readStack).mockResolvedValue({});
    const found = await report(...projects([FIRST, SECOND]), ...args);
    const settings = { baseUrl: "environment", publicKey: "environment", allowHttp: "environment" };
    expect(found).toHaveProperty("settings", settings);
    const message = expect.stringMatching(/^Connection settings are missing: privateKey\. /);
    const failures = [{ code: "ERR_MISSING_SETTINGS", message, temporary: false }];
    expect(found).toMatchObject({ exitCode: 1, warnings: [], failures });
    const provider = "check can't use the arguments of a Provider: to try them, set these environment variables.";
    expect(stdout).toContain(`#err_missing_settings. ${says} ${provider}"`);
    expect(service.requests).toEqual([]);
  });

  it("name no stack that could not be read, of which a warning tells", async () => {
    await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "" });
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "incorrect passphrase."));
    const found = await report(...projects([FIRST]));
    expect(found).toMatchObject({ warnings: [expect.stringMatching(/So check uses the environment alone\.$/)] });
    expect(stdout).toMatch(/#err_missing_settings\. check can't use the arguments of a Provider/);
  });
});

it.each([
  { args: ["--project", "123"], says: /^--project needs .*, not "123"\. Try --help\.\n$/ },
  { args: ["-p", FIRST, "--project", ""], says: /^--project needs .*, not ""\. Try --help\.\n$/ },
  { args: ["--project", FIRST, "--stack", ""], says: /^--stack needs the name of a stack\. Try --help\.\n$/ },
  { args: [FIRST], says: /^Write --project before the id of a project\. Try --help\.\n$/ },
  { args: ["-p", FIRST, SECOND], says: /^Write --project before the id of a project\. Try --help\.\n$/ },
  { args: [], says: /^Pass the id of a project with --project\. Try --help\.\n$/ },
  { args: ["--p\u001b[2J"], says: /^Unknown option '--p\uFFFD\[2J'\. Try --help\.\n$/ },
  { args: ["--stack"], says: /^Option '-s, --stack <value>' argument missing\. Try --help\.\n$/ },
  { args: ["--stack", "--json"], says: /^Option '--stack' argument is ambiguous\. Did you forget .* Try --help\.\n$/ },
])("the arguments $args end with 2, and print nothing else", async ({ args, says }) => {
  expect(await checkProjects(args)).toBe(2);
  expect(stderr).toMatch(says);
  expect(stdout).toBe("");
});
