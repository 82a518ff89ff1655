import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { runtimeError } from "../../sdk/refuse-other-runtimes.ts";
import { installPackage, TEMPLATE_PACKAGES } from "../deployment/install-package.ts";
import { ENGINE, openProgram, PROJECT_ID, skipWithout } from "../deployment/open-program.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";

// `npm run test:compatibility` runs the versions that README.md names under Compatibility, and the newest ones, and the test in
// Jest that docs/testing.md shows. It installs them from the registry.

const NODES = ["22.19.0", "24"];
const OLD_NODES = ["18", "20.9.0", "20"];
const SDKS = ["3.216.0", "latest"];
const JEST = ["jest@30", "ts-jest@29", "@types/jest@30"];

const run = promisify(execFile);
const platform = process.platform === "win32" ? "win" : process.platform;
const nodePackage = `node-${platform}-${process.arch}`;

const UNIT_TEST = `
const pulumi = require("@pulumi/pulumi");
const { AgentLogConfig, getAgentLogConfig } = require("pulumi-agent-log-config");
const what = { projectId: "${PROJECT_ID}", agent: "backup" };
(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: { ...inputs, logPath: "/recorded" } }),
    call: ({ token }) => ({ logPath: token }),
  });
  const { logPath } = await getAgentLogConfig(what);
  new AgentLogConfig("logs", what).logPath.apply((recorded) => console.log(JSON.stringify({ logPath, recorded })));
})();
`;

/** The folders that were made, by the first package that is installed in them beside this one. */
const folders = new Map<string, string>();

async function install(...packages: readonly string[]): Promise<void> {
  folders.set(packages[0] ?? "", await installPackage(packages));
}

const folderOf = (name: string) => folders.get(name) ?? "nothing is installed";
const installedOf = (sdk: string) => folderOf(`@pulumi/pulumi@${sdk}`);

function nodeOf(version: string): string {
  const executable = platform === "win" ? "node.exe" : "node";
  return path.join(folderOf(`${nodePackage}@${version}`), "node_modules", nodePackage, "bin", executable);
}

beforeAll(async () => {
  for (const version of [...NODES, ...OLD_NODES]) await install(`${nodePackage}@${version}`);
  for (const version of SDKS) await install(`@pulumi/pulumi@${version}`, ...TEMPLATE_PACKAGES);
}, 600_000);

afterAll(async () => {
  for (const folder of folders.values()) await rm(folder, { recursive: true, force: true });
});

const COMBINATIONS = NODES.flatMap((node) => SDKS.map((sdk) => ({ node, sdk })));

describe.each(COMBINATIONS)("with Node.js $node and @pulumi/pulumi $sdk", ({ node, sdk }) => {
  const open = (context: TestContext, program: string, settings: Readonly<Record<string, unknown>>) =>
    openProgram(context, ENGINE, program, settings, {}, { node: nodeOf(node), installed: installedOf(sdk) });
  const args = { projectId: PROJECT_ID, agent: "monitoring" };

  it("a unit test gets what its mocks return", async () => {
    const { stdout } = await run(nodeOf(node), ["-e", UNIT_TEST], { cwd: installedOf(sdk) });
    const logPath = "agent-log-config:index:getAgentLogConfig";
    expect(JSON.parse(stdout)).toEqual({ logPath, recorded: "/recorded" });
  });

  it("a resource is recorded, compared and deleted", async (context) => {
    const { deployment, service } = await open(context, "recorded", { args });
    const created = await deployment.up();
    expect(created).toMatchObject({ ok: true });
    // It would warn of a private key in plain text.
    expect(created.text).not.toContain("warning");
    service.set(PROJECT_ID, "monitoring", { logPath: "/changed" });
    expect((await deployment.preview()).steps).toMatchObject([
      { op: "update", name: "settings", differences: expect.arrayContaining([expect.stringMatching(/^logPath: /)]) },
      { op: "update", name: "consumer" },
    ]);
    expect(await deployment.refresh()).toMatchObject({ ok: true, steps: [{ op: "update", name: "settings" }] });
    expect(await deployment.destroy()).toMatchObject({ ok: true });
  });

  it("a failure waits for what comes late", async (context) => {
    const gone = { args: { ...args, projectId: "f".repeat(24) } };
    const { deployment } = await open(context, "failures", { resources: { gone, late: { args, lateSeconds: 3 } } });
    const { ok, steps } = await deployment.preview();
    expect(ok).toBe(false);
    expect(steps.map(({ name }) => name)).toContain("late");
  });

  it("reads wait for a component and for a provider", async (context) => {
    skipWithout(context, "real");
    const { deployment, service } = await open(context, "unknown-connection", { projectId: PROJECT_ID });
    expect(await deployment.preview()).toMatchObject({ ok: true });
    expect(service.requests).toHaveLength(0);
    expect(await deployment.up()).toMatchObject({ ok: true });
    expect(await deployment.outputs()).toMatchObject({ read: "/var/log/monitoring-agent.log" });
  });
});

describe.each(OLD_NODES)("Node.js %s is refused in one sentence", (version) => {
  const entries = ["", "/testing", "/client"].map((entry) => `pulumi-agent-log-config${entry}`);
  const refusal = async () => {
    const { stdout } = await run(nodeOf(version), ["--print", "process.versions.node"]);
    // test/model/refuse-other-runtimes.test.ts shows the sentence.
    return runtimeError(`Node.js ${stdout.trim()}`).message;
  };

  it.each([
    ...entries.map((entry) => ({ args: ["-e", `require("${entry}")`] })),
    ...entries.map((entry) => ({ args: ["--input-type=module", "-e", `import "${entry}"`] })),
  ])("by $args", async ({ args }) => {
    const stderr = expect.stringContaining(await refusal());
    await expect(run(nodeOf(version), args, { cwd: installedOf("latest") })).rejects.toMatchObject({ stderr });
  });

  it.each(["check", "install-plugin", "--version"])("by the command %s", async (word) => {
    const args = ["node_modules/pulumi-agent-log-config/dist/command/main.js", word];
    const stderr = `${await refusal()}\n`;
    await expect(run(nodeOf(version), args, { cwd: installedOf("latest") })).rejects.toMatchObject({ stderr });
  });

  it.for(["functions", "agent-log-configs", "recorded", "connections"])("by the program %s", async (name, context) => {
    const installation = { node: nodeOf(version), installed: installedOf("latest") };
    const { deployment } = await openProgram(context, ENGINE, name, { projectId: PROJECT_ID }, {}, installation);
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    expect(text).toContain(await refusal());
    expect(text).not.toMatch(/exception|ERR_REQUIRE_ESM|^\s+at /m);
  });
});

/** In Jest, errors of Node.js are no instances of `Error`. */
const FAILING_TEST = `
import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
test("a read that can't connect", async () => {
  const connection = { baseUrl: "https://127.0.0.1:1", publicKey: "publickey", privateKey: "private-key", maxRetries: 0 };
  const read = new AgentLogConfigClient(connection).get({ projectId: "${PROJECT_ID}", agent: "backup" });
  await expect(read).rejects.toMatchObject({ code: "ERR_CONNECTION", temporary: true });
});
`;

it("a test in Jest gets what its mocks return and why a read fails, without a flag on the oldest Node.js", async () => {
  await install(...JEST, "@pulumi/pulumi@latest", ...TEMPLATE_PACKAGES);
  const folder = folderOf("jest@30");
  const page = PAGES.get("docs/testing.md") ?? "";
  const [configuration = ""] = fencesIn(page, "js");
  const tests = fencesIn(page, "ts fragment");
  const [tested = ""] = fencesIn(PAGES.get("README.md") ?? "", "ts");
  const [options = ""] = fencesIn(page, "json");
  await writeFile(path.join(folder, "jest.config.js"), configuration);
  await writeFile(path.join(folder, "tsconfig.json"), options);
  await writeFile(path.join(folder, "index.ts"), tested);
  for (const [index, test] of tests.entries()) {
    await writeFile(path.join(folder, `logs-${index}.test.ts`), test.replace(/^import .* from "vitest";\n/m, ""));
  }
  await writeFile(path.join(folder, "failing.test.ts"), FAILING_TEST);
  const { stderr } = await run(nodeOf("22.19.0"), ["node_modules/jest/bin/jest.js"], { cwd: folder });
  expect(stderr).toContain("Tests:       2 passed, 2 total");
});
