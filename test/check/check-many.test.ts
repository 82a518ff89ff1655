import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Diagnosis } from "../../sdk/check/diagnose.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";
import { environmentOf, runMain } from "./run-main.ts";

const IDS = Array.from({ length: 40 }, (_, index) => String(index).padStart(24, "0"));
const [FIRST = "", SECOND = "", THIRD = ""] = IDS;

async function setUp(projectIds: readonly string[] = IDS): Promise<Service> {
  const settings = Object.fromEntries(projectIds.map((id) => [id, { monitoring: { logPath: `/log/${Number(id)}` } }]));
  const service = await startService({ settings });
  onTestFinished(() => service.close());
  return service;
}

const LIST = ["check", "--projects-from"];

function check(projectIds: readonly string[]): string[] {
  return ["check", ...projectIds.flatMap((projectId) => ["--project", projectId])];
}

it("connects once and reads every project", async () => {
  const service = await setUp();
  const { exitCode, stdout } = await runMain(environmentOf(service), [...LIST, "-"], IDS.join("\n"));
  expect(exitCode).toBe(0);
  const lines = stdout.replace(/port \d+/, "port N").split("\n");
  expect(lines.slice(0, 10)).toEqual([
    "✓ settings    from the environment: baseUrl, publicKey, privateKey, allowHttp",
    "✓ name        127.0.0.1",
    "✓ connection  127.0.0.1 port N",
    "- TLS         not asked for: the address is plain http, so the settings travel",
    "              unencrypted",
    '✓ challenge   Digest, realm "Example Public API"',
    "✓ key         accepted",
    "",
    `✓ ${FIRST}  monitoring logs to /log/0, backup to standard error`,
    `✓ ${SECOND}  monitoring logs to /log/1, backup to standard error`,
  ]);
  expect(lines.slice(-2)).toEqual(["40 of 40 projects can be read.", ""]);
  expect(service.requests.map(({ status }) => status).sort()).toEqual([...Array(80).fill(200), 401]);
});

it("says last which projects failed, and what to do", async () => {
  const service = await setUp([SECOND]);
  const { exitCode, stdout } = await runMain(environmentOf(service), check(["12", FIRST, SECOND]));
  expect(exitCode).toBe(1);
  const lines = stdout.split("\n").slice(stdout.split("\n").indexOf("") + 1);
  expect(lines.slice(0, 4)).toEqual([
    `✓ ${SECOND}  monitoring logs to /log/1, backup to standard error`,
    "✗ 12",
    "  The id is malformed: it must be 24 hexadecimal digits.",
    `✗ ${FIRST}`,
  ]);
  expect(lines.slice(-3)).toEqual([
    "  https://www.npmjs.com/package/pulumi-agent-log-config#err_project_not_found",
    "1 of 3 projects can be read, 2 failed.",
    "",
  ]);
});

it("reports as JSON in the order of the list", async () => {
  const service = await setUp([FIRST, THIRD]);
  const { stdout } = await runMain(environmentOf(service), [...check([FIRST, "zz", SECOND, THIRD]), "--json"]);
  const report: Diagnosis & { ok: boolean } = JSON.parse(stdout);
  expect(report.ok).toBe(false);
  expect(report.steps.map(({ step }) => step)).toEqual(["settings", "name", "connection", "TLS", "challenge", "key"]);
  expect(report.projects).toEqual([
    { projectId: FIRST, status: "ok", monitoring: "/log/0", backup: "standard error" },
    { projectId: "zz", status: "failed", code: "ERR_INVALID_ARG_VALUE", message: expect.any(String) },
    { projectId: SECOND, status: "failed", code: "ERR_PROJECT_NOT_FOUND", message: expect.any(String) },
    { projectId: THIRD, status: "ok", monitoring: "/log/2", backup: "standard error" },
  ]);
});

it("does not try a wrong key on every project", async () => {
  const service = await setUp();
  const { exitCode, stdout } = await runMain(
    { ...environmentOf(service), AGENT_LOG_CONFIG_PRIVATE_KEY: "x" },
    check(IDS),
  );
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/✗ key +Can't read[\s\S]+\n\n0 of 40 projects can be read, 40 not reached.\n$/);
  expect(service.requests.length).toBeLessThanOrEqual(3);
});

it("reads a project once that is listed twice, and ignores empty lines and comments", async () => {
  const service = await setUp(["a".repeat(24), FIRST]);
  const folder = await mkdtemp(path.join(tmpdir(), "check-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, "projects.txt");
  const lines = ["# the west", "a".repeat(24), "", `  ${FIRST}  `, "A".repeat(24), "  # the end"];
  await writeFile(file, `\uFEFF${lines.join("\r\n")}`);
  const { exitCode, stdout } = await runMain(environmentOf(service), [...LIST, file, "--json"]);
  const report: Diagnosis = JSON.parse(stdout);
  expect(exitCode).toBe(0);
  expect(report.projects.map(({ projectId }) => projectId)).toEqual(["a".repeat(24), FIRST]);
  expect(service.requests).toHaveLength(5);
});

it("has nothing to do for an empty list", async () => {
  const service = await setUp();
  const { exitCode, stdout } = await runMain(environmentOf(service), [...LIST, "-"], "# none\n");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "The list has no projects, so nothing was read.\n" });
  expect(service.requests).toEqual([]);
});

it("claims nothing but the settings where no id can be read", async () => {
  const service = await setUp();
  const { exitCode, stdout } = await runMain(environmentOf(service), [...check(["1", "2"]), "--json"]);
  const report: Diagnosis = JSON.parse(stdout);
  expect(exitCode).toBe(1);
  expect(report.steps.map(({ status }) => status)).toEqual(["ok", ...Array(5).fill("not reached")]);
  expect(report.projects.map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(service.requests).toEqual([]);
});

it("says why a list can't be read", async () => {
  const { exitCode, stderr } = await runMain({}, [...LIST, "/none"]);
  const says = 'The list of projects "/none" can\'t be read (ENOENT); name a text file. Try --help.\n';
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: says });
});
