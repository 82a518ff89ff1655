import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { checkProjects } from "../../sdk/command/check-projects.ts";
import { hasProject, readStack } from "../../sdk/command/read-stack.ts";
import type { CheckReport } from "../../sdk/command/render-report.ts";
import { AgentLogConfigError } from "../../sdk/model/errors.ts";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { type Environment, environmentOf } from "./run-main.ts";

vi.mock("../../sdk/command/read-stack.ts", () => ({ readStack: vi.fn(), hasProject: vi.fn() }));

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

async function report(...args: readonly string[]): Promise<CheckReport & { readonly exitCode: number }> {
  const exitCode = await checkProjects([...args, "--json"]);
  return { ...JSON.parse(stdout), exitCode };
}

/** The requests that carried credentials. */
function signed({ requests }: Service): readonly unknown[] {
  return requests.filter(({ headers }) => headers.authorization !== undefined);
}

describe("for one project", () => {
  it("prints where the settings and the logs are, and ends with 0", async () => {
    await start();
    expect(await checkProjects(projects([FIRST]))).toBe(0);
    expect(stdout).toBe(`Settings from the environment: baseUrl, publicKey, privateKey, allowHttp
✓ ${FIRST}  monitoring logs to /log/0, backup to standard error
`);
    expect(stderr).toBe("");
  });

  it("judges settings that do not matter to the read, as a program does", async () => {
    const service = await start([FIRST], { AGENT_LOG_CONFIG_MAX_RETRIES: "many" });
    const found = await report(...projects([FIRST]));
    expect(found.settings).toMatchObject({ baseUrl: "environment", maxRetries: "environment" });
    expect(found.projects).toMatchObject([{ status: "failed", code: "ERR_INVALID_SETTINGS" }]);
    expect(found.projects[0]?.message).toContain("maxRetries (the environment variable AGENT_LOG_CONFIG_MAX_RETRIES)");
    expect(found).not.toHaveProperty("warning");
    expect(service.requests).toEqual([]);
  });

  it("fails where a program would", async () => {
    const service = await start();
    service.set(FIRST, "backup", { logPath: "/log\u001b[2J" });
    const found = await report(...projects([FIRST]));
    const message = expect.stringContaining("logPath has control characters");
    expect(found.projects).toMatchObject([{ monitoring: "/log/0", code: "ERR_INVALID_RESPONSE", message }]);
    expect(found.projects[0]).not.toHaveProperty("backup");
  });

  it("prints nothing that a terminal would obey", async () => {
    const service = await start();
    service.set(FIRST, "backup", { logPath: "/log\u202e[2J" });
    await checkProjects(projects([FIRST]));
    expect(stdout).toContain("backup to /log\uFFFD[2J");
  });
});

describe("for many projects", () => {
  it("connects once and reads every project once", async () => {
    const service = await start();
    const found = await report(...projects(IDS));
    expect(found).toMatchObject({ ok: true, exitCode: 0 });
    expect(found.projects.map(({ monitoring }) => monitoring)).toEqual(IDS.map((_, index) => `/log/${index}`));
    const statuses = Map.groupBy(service.requests, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(80);
    // One challenge for each connection.
    expect(statuses.get(401)?.length).toBeLessThanOrEqual(16);
  });

  it("lists each with its code in the order in which they were given, and ends with 1", async () => {
    const service = await start([FIRST, THIRD]);
    const found = await report(...projects(["zz", FIRST, SECOND, THIRD]));
    expect(found).toMatchObject({ ok: false, exitCode: 1 });
    const failed = { status: "failed", temporary: false };
    expect(found.projects).toEqual([
      { ...failed, projectId: "zz", code: "ERR_INVALID_ARG_VALUE", message: expect.any(String) },
      { projectId: FIRST, status: "ok", monitoring: "/log/0", backup: "standard error" },
      { ...failed, projectId: SECOND, code: "ERR_PROJECT_NOT_FOUND", message: expect.stringContaining(SECOND) },
      { projectId: THIRD, status: "ok", monitoring: "/log/2", backup: "standard error" },
    ]);
    expect(signed(service)).toHaveLength(5);
  });

  it("stops at the first one that is not malformed where every other one would fail", async () => {
    const service = await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-wrong" });
    const found = await report(...projects(["zz", FIRST, SECOND]));
    expect(found).toMatchObject({ ok: false, exitCode: 1 });
    expect(found.projects.map(({ status }) => status)).toEqual(["not reached", "failed", "not reached"]);
    expect(found.projects[1]).toMatchObject({ code: "ERR_WRONG_KEY" });
    expect(signed(service)).toHaveLength(1);
  });

  it("goes on after an outage of the first one", async () => {
    const service = await start();
    service.failNext({ status: 503 });
    const found = await report(...projects([FIRST, SECOND]));
    expect(found.projects.map(({ status }) => status)).toEqual(["failed", "ok"]);
    // A retry would hide the failure.
    expect(service.requests.filter(({ status }) => status === 503)).toHaveLength(1);
  });

  it.each([
    { isTerminal: true, args: [], counts: ["1 of 3 projects", "2 of 3 projects", "3 of 3 projects", ""] },
    { isTerminal: true, args: ["--json"], counts: [] },
    { isTerminal: undefined, args: [], counts: [] },
  ])("counts them on a terminal while they are read: $isTerminal $args", async ({ isTerminal, args, counts }) => {
    await start();
    Object.defineProperty(process.stderr, "isTTY", { value: isTerminal, configurable: true });
    onTestFinished(() => void Reflect.deleteProperty(process.stderr, "isTTY"));
    await checkProjects([...projects(IDS.slice(0, 3)), ...args]);
    // Each count begins its line anew, and the last one leaves it empty.
    expect(stderr.split("\r\u001b[K").slice(1)).toEqual(counts);
  });

  it("refuses an empty list, which may be the output of a command that failed, and ends with 2", async () => {
    const service = await start();
    const list = path.join(temporaryFolder("check"), "projects.txt");
    writeFileSync(list, "# none\n");
    expect(await checkProjects(["--projects-from", list, "--json"])).toBe(2);
    expect(stderr).toMatch(/^The list has no projects, so nothing was read; .*\. Try --help\.\n$/);
    expect(stdout).toBe("");
    expect(service.requests).toEqual([]);
  });
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
    const [environment, fromStack] = ["environment", "stack"];
    expect(found.settings).toEqual({
      baseUrl: environment,
      publicKey: fromStack,
      privateKey: fromStack,
      allowHttp: environment,
    });
    expect(found).not.toHaveProperty("warning");
  });

  it("come from the selected stack in the folder of a program", async () => {
    await start(IDS, IN_STACK);
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockResolvedValue(STACK);
    const found = await report(...projects([FIRST]));
    expect(readStack).toHaveBeenCalledExactlyOnceWith(undefined);
    expect(found).toMatchObject({ ok: true, settings: { baseUrl: "environment", privateKey: "selected stack" } });
    expect(found).not.toHaveProperty("warning");
  });

  it("come from the environment if the selected stack can't be read, which is a warning", async () => {
    await start();
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "no stack selected"));
    const found = await report(...projects([FIRST]));
    const warning = expect.stringMatching(/^no stack selected .*\. So check uses the environment alone\.$/);
    expect(found).toMatchObject({ ok: true, exitCode: 0, warning, settings: { privateKey: "environment" } });
  });

  it("are not looked up in the environment alone if the stack that is named can't be read", async () => {
    const service = await start();
    vi.mocked(hasProject).mockReturnValue(true);
    vi.mocked(readStack).mockRejectedValue(new AgentLogConfigError("ERR_STACK", "no stack named 'dve' found"));
    const found = await report(...projects([FIRST]), "-s", "dve");
    expect(found).toMatchObject({ exitCode: 1, projects: [{ code: "ERR_STACK" }] });
    expect(service.requests).toEqual([]);
  });

  it("are named where a half of a wrong key comes from each", async () => {
    const service = await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "wrong" });
    vi.mocked(readStack).mockResolvedValue({ "agent-log-config:publicKey": { value: "publickey", secret: false } });
    const found = await report(...projects([FIRST]), "--stack", "dev");
    expect(found.projects).toMatchObject([
      {
        code: "ERR_WRONG_KEY",
        message: expect.stringMatching(
          / publicKey comes from the configuration key agent-log-config:publicKey, and privateKey from the environment variable AGENT_LOG_CONFIG_PRIVATE_KEY\.$/,
        ),
      },
    ]);
    expect(service.requests).toHaveLength(2);
  });

  it("are refused where one is a map", async () => {
    const service = await start(IDS);
    vi.mocked(readStack).mockResolvedValue({
      "agent-log-config:publicKey": { value: '{"nested":"x"}', secret: false },
    });
    const found = await report(...projects([FIRST]), "--stack", "dev");
    expect(found.projects).toMatchObject([
      {
        code: "ERR_INVALID_SETTINGS",
        message: expect.stringContaining("agent-log-config:publicKey) is a map or a list"),
      },
    ]);
    expect(service.requests).toEqual([]);
  });

  it("cause a warning that does not quote them", async () => {
    await start(IDS);
    vi.mocked(readStack).mockResolvedValue({
      "agent-log-config:privateKey": { value: "private-key-0001", secret: false },
    });
    const found = await report(...projects([FIRST]), "--stack", "dev");
    const warning = expect.stringMatching(/^The stack keeps agent-log-config:privateKey in plain text/);
    expect(found).toMatchObject({ ok: true, warning });
    expect(stdout).not.toContain("private-key-0001");
  });

  const OF_PROVIDER = "check can't use the arguments of a Provider: to try them, set these environment variables.";
  const OF_PROJECT = "There is no Pulumi project in this folder, so check used the environment alone.";

  it.each([
    { description: "there is no project", isInProject: false, args: [], says: `${OF_PROJECT} ${OF_PROVIDER}` },
    { description: "the selected stack lacks them", isInProject: true, args: [], says: OF_PROVIDER },
    { description: "a stack lacks them", isInProject: false, args: ["--stack", "dev"], says: OF_PROVIDER },
  ])("are suggested behind the message that they are missing: $description", async ({ isInProject, args, says }) => {
    const service = await start(IDS, { AGENT_LOG_CONFIG_PRIVATE_KEY: "" });
    vi.mocked(hasProject).mockReturnValue(isInProject);
    vi.mocked(readStack).mockResolvedValue({});
    const found = await report(...projects([FIRST, SECOND]), ...args);
    expect(found.settings).toEqual({ baseUrl: "environment", publicKey: "environment", allowHttp: "environment" });
    expect(found.projects.map(({ status }) => status)).toEqual(["failed", "not reached"]);
    expect(found.projects[0]).toMatchObject({ code: "ERR_MISSING_SETTINGS" });
    expect(found.projects[0]?.message).toMatch(
      /^Connection settings are missing: privateKey\. .*#err_missing_settings\. /,
    );
    expect(found.projects[0]?.message?.split("#err_missing_settings. ")[1]).toBe(says);
    expect(found).toMatchObject({ exitCode: 1 });
    expect(found).not.toHaveProperty("warning");
    expect(service.requests).toEqual([]);
  });
});

it.each([
  { args: ["--project", "123"], says: /^--project needs .*, not "123"\. Try --help\.\n$/ },
  { args: [], says: /^Pass the id of a project with --project, .*\. Try --help\.\n$/ },
  { args: ["--p\u001b[2J"], says: /^Unknown option '--p\uFFFD\[2J'\. Try --help\.\n$/ },
  { args: ["--stack"], says: /^Option '-s, --stack <value>' argument missing\. Try --help\.\n$/ },
  { args: ["--stack", "--json"], says: /^Option '--stack' argument is ambiguous\. Did you forget .* Try --help\.\n$/ },
])("the arguments $args end with 2, and print nothing else", async ({ args, says }) => {
  expect(await checkProjects(args)).toBe(2);
  expect(stderr).toMatch(says);
  expect(stdout).toBe("");
});
