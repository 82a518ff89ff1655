import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage, TEMPLATE_PACKAGES } from "../deployment/install-package.ts";
import { ENGINES, openProgram, PROJECT_ID } from "../deployment/open-program.ts";
import { fencesIn, PAGES } from "../plugin/examples-in.ts";

// `npm run test:compatibility` runs the versions that README.md names under Compatibility, and the newest ones, and the test in
// Jest that docs/testing.md shows. It installs them from the registry.

const NODES = ["22.19.0", "24"];
const OLD_NODES = ["18", "20.9.0", "20"];
const SDKS = ["3.216.0", "latest"];
const JEST = ["jest@30", "ts-jest@29", "@types/jest@30"];
const UNDICIS = ["7.0.0", "7", "8.0.0", "8"];

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

/** The folders that were made, by what is installed in them. */
const folders = new Map<string, string>();

async function install(...packages: readonly string[]): Promise<void> {
  folders.set(packages[0] ?? "", await installPackage(packages));
}

function folderOf(name: string): string {
  return folders.get(name) ?? "nothing is installed";
}

function nodeOf(version: string): string {
  const executable = platform === "win" ? "node.exe" : "node";
  return path.join(folderOf(`${nodePackage}@${version}`), "node_modules", nodePackage, "bin", executable);
}

async function print(node: string, folder: string, file: string, program: string): Promise<unknown> {
  await writeFile(path.join(folder, file), program);
  return JSON.parse((await promisify(execFile)(node, [file], { cwd: folder })).stdout);
}

beforeAll(async () => {
  for (const version of [...NODES, ...OLD_NODES]) await install(`${nodePackage}@${version}`);
  for (const version of SDKS) await install(`@pulumi/pulumi@${version}`, ...TEMPLATE_PACKAGES);
  for (const version of UNDICIS) await install(`undici@${version}`);
}, 600_000);

afterAll(async () => {
  for (const folder of folders.values()) await rm(folder, { recursive: true, force: true });
});

describe.each(NODES)("with Node.js %s", (nodeVersion) => {
  describe.each(SDKS)("and @pulumi/pulumi %s", (sdk) => {
    it("a unit test gets what its mocks return", async () => {
      expect(await print(nodeOf(nodeVersion), folderOf(`@pulumi/pulumi@${sdk}`), "unit-test.cjs", UNIT_TEST)).toEqual({
        logPath: "agent-log-config:index:getAgentLogConfig",
        recorded: "/recorded",
      });
    });

    it.for(ENGINES)("a resource is recorded, compared and deleted on the %s engine", async (engine, context) => {
      const installation = { node: nodeOf(nodeVersion), installed: folderOf(`@pulumi/pulumi@${sdk}`) };
      const args = { projectId: PROJECT_ID, agent: "monitoring" };
      const { deployment, service } = await openProgram(context, engine, "recorded", { args }, {}, installation);
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

    it.for(ENGINES)("a failure waits for what comes late on the %s engine", async (engine, context) => {
      const installation = { node: nodeOf(nodeVersion), installed: folderOf(`@pulumi/pulumi@${sdk}`) };
      const late = { args: { projectId: PROJECT_ID, agent: "monitoring" }, lateSeconds: 3 };
      const resources = { gone: { args: { projectId: "f".repeat(24), agent: "monitoring" } }, late };
      const { deployment } = await openProgram(context, engine, "failures", { resources }, {}, installation);
      const { ok, steps } = await deployment.preview();
      expect(ok).toBe(false);
      expect(steps.map(({ name }) => name)).toContain("late");
    });

    it.for(ENGINES)("reads wait for a component and for a provider on the %s engine", async (engine, context) => {
      const installation = { node: nodeOf(nodeVersion), installed: folderOf(`@pulumi/pulumi@${sdk}`) };
      const settings = { projectId: PROJECT_ID };
      const { deployment, service } = await openProgram(
        context,
        engine,
        "unknown-connection",
        settings,
        {},
        installation,
      );
      expect(await deployment.preview()).toMatchObject({ ok: true });
      expect(service.requests).toHaveLength(0);
      expect(await deployment.up()).toMatchObject({ ok: true });
      expect(await deployment.outputs()).toMatchObject({ read: "/var/log/monitoring-agent.log" });
    });
  });
});

describe.each(OLD_NODES)("Node.js %s is refused in one sentence", (nodeVersion) => {
  const SENTENCE =
    /pulumi-agent-log-config needs Node\.js 22\.19 or later, and this is Node\.js (?:18|20)\.\d+\.\d+; use that/;
  const run = async (args: readonly string[]) => {
    const installed = folderOf("@pulumi/pulumi@latest");
    const { stderr } = await promisify(execFile)(nodeOf(nodeVersion), args, { cwd: installed }).catch((error) => error);
    return String(stderr);
  };

  it.each(["", "/testing", "/client"])("where pulumi-agent-log-config%s is required", async (entry) => {
    expect(await run(["-e", `require("pulumi-agent-log-config${entry}")`])).toMatch(SENTENCE);
  });

  // Node.js 20.9 does not know the syntax by which the client imports package.json.
  it.each(["", "/testing", ...(nodeVersion === "20.9.0" ? [] : ["/client"])])(
    "where pulumi-agent-log-config%s is imported",
    async (entry) => {
      const program = `import "pulumi-agent-log-config${entry}"`;
      expect(await run(["--input-type=module", "-e", program])).toMatch(SENTENCE);
    },
  );

  it.each(["check", "install-plugin", "--version"])("by the command %s", async (command) => {
    expect(await run(["node_modules/pulumi-agent-log-config/dist/command/main.js", command])).toMatch(
      new RegExp(`^${SENTENCE.source} version\\. See \\S+\\n$`),
    );
  });

  describe.each(["functions", "agent-log-configs", "recorded", "connections"])("by the program %s", (name) => {
    it.for(ENGINES)("on the %s engine", async (engine, context) => {
      const installation = { node: nodeOf(nodeVersion), installed: folderOf("@pulumi/pulumi@latest") };
      const { deployment } = await openProgram(context, engine, name, { projectId: PROJECT_ID }, {}, installation);
      const { ok, text } = await deployment.preview();
      expect(ok).toBe(false);
      expect(text).toMatch(SENTENCE);
      expect(text).not.toMatch(/exception|ERR_REQUIRE_ESM|^\s+at /m);
    });
  });
});

it("a test in Jest gets what its mocks return", async () => {
  const folder = await installPackage(["@pulumi/pulumi@latest", ...TEMPLATE_PACKAGES, ...JEST]);
  folders.set("jest", folder);
  const page = PAGES.get("docs/testing.md") ?? "";
  const [configuration = ""] = fencesIn(page, "js");
  const tests = fencesIn(page, "ts").filter((code) => code.includes('from "vitest"'));
  const [options = ""] = fencesIn(page, "json");
  await writeFile(path.join(folder, "jest.config.js"), configuration);
  await writeFile(path.join(folder, "tsconfig.json"), options);
  for (const [index, test] of tests.entries()) {
    await writeFile(path.join(folder, `logs-${index}.test.ts`), test.replace(/^import .* from "vitest";\n/m, ""));
  }
  const args = ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stderr).toContain("Tests:       2 passed, 2 total");
});
