import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { runCommand } from "../deployment/run-command.ts";
import { type Environment, environmentOf, MAIN, runMain } from "./run-main.ts";

const [FIRST, SECOND] = ["0123456789abcdef01234567", "0123456789abcdef01234568"];
const PRIVATE_KEY = "private-key-0001";
const CHECK = ["check", "--project", FIRST];

async function start(): Promise<{ service: Service; environment: Environment }> {
  const service = await openService({
    settings: { [FIRST]: { monitoring: { logPath: "/l", password: "body-password-0001" } }, [SECOND]: {} },
  });
  return { service, environment: environmentOf(service) };
}

describe("the command", () => {
  it("prints its version", async () => {
    expect(await runMain({}, ["--version"])).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  it.each([[["--help"]], [["install-plugin", "--help"]]])(
    "prints its commands and their options for %j",
    async (args) => {
      const { exitCode, stdout } = await runMain({}, args);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Usage: .*\n\n {2}check +reads projects.* {4}-p, --project <id> .* install-plugin /s);
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  it.each([
    { args: [], says: "Name a command: check, install-plugin or stand-in. Try --help.\n" },
    { args: ["chek"], says: 'There is no command "chek". Try --help.\n' },
    { args: ["check"], says: expect.stringMatching(/^Pass the id of a project .* Try --help\.\n$/) },
  ])("ends with 2 for the arguments $args", async ({ args, says }) => {
    expect(await runMain({}, args)).toEqual({ exitCode: 2, stdout: "", stderr: says });
  });

  it.each(["--help", "check"])("says in one sentence that it does not run on an older Node.js: %s", async (name) => {
    const versions = '{ value: { ...process.versions, node: "20.20.2" } }';
    const older = `data:text/javascript,Object.defineProperty(process, "versions", ${versions})`;
    const says =
      "pulumi-agent-log-config needs Node.js 22.19 or later, but this is Node.js 20.20.2; put a later Node.js first on the PATH. See https://";
    const { exitCode, stdout, stderr } = await runMain({}, [name], { nodeArgs: ["--import", older] });
    expect({ exitCode, stdout, lines: stderr.split("\n").length }).toEqual({ exitCode: 1, stdout: "", lines: 2 });
    expect(stderr).toContain(says);
  });

  it("ends quietly where nobody reads what it prints", async () => {
    const { environment } = await start();
    const { stderr } = await runCommand("sh", ["-c", '"$@" | true', "sh", process.execPath, MAIN, ...CHECK], {
      cwd: tmpdir(),
      env: { ...process.env, ...environment },
      signal: AbortSignal.timeout(60_000),
    });
    expect(stderr).not.toContain("EPIPE");
  });
});

describe("a full disk", () => {
  const RUN = ['exec "$@" > /dev/full', "sh", process.execPath, MAIN];

  it.for([{ args: ["--help"] }, { args: [...CHECK, "--json"] }, { args: ["stand-in", "--port", "0"] }])(
    "ends $args with 1 and one sentence",
    async ({ args }, context) => {
      if (process.platform !== "linux") context.skip("only Linux has /dev/full");
      const { environment } = await start();
      const env = { ...process.env, ...environment };
      const options = { cwd: tmpdir(), env, signal: AbortSignal.timeout(60_000) };
      const { exitCode, stderr } = await runCommand("sh", ["-c", ...RUN, ...args], options);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(
          /^(?:Settings from .*\n)?The output can't be written \(ENOSPC: no space left on device, write\)\.\n$/,
        ),
      });
    },
  );

  it("changes no exit code if errors can't be written", async (context) => {
    if (process.platform !== "linux") context.skip("only Linux has /dev/full");
    const run = ['exec "$@" 2> /dev/full', "sh", process.execPath, MAIN, "check"];
    const options = { cwd: tmpdir(), env: process.env, signal: AbortSignal.timeout(60_000) };
    expect((await runCommand("sh", ["-c", ...run], options)).exitCode).toBe(2);
  });
});

describe("check", () => {
  it("reads a certificate that can be read once, as from <(cat ca.pem)", async (context) => {
    if (process.platform === "win32") context.skip("Windows has no path of the standard input");
    const { environment } = await start();
    const piped = await runCommand("sh", ["-c", 'cat "$0" | "$@"', CA_FILE, process.execPath, MAIN, ...CHECK], {
      cwd: tmpdir(),
      env: { ...process.env, ...environment, AGENT_LOG_CONFIG_CA_CERTIFICATE: "/dev/stdin" },
      signal: AbortSignal.timeout(60_000),
    });
    expect(piped).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("/monitoring logs to /l") });
  });

  it("prints no secret, even with everything that Node.js can be made to print", async () => {
    const { environment, service } = await start();
    for (const key of [PRIVATE_KEY, "private-key-0002"]) {
      const debug = { ...environment, AGENT_LOG_CONFIG_PRIVATE_KEY: key, NODE_DEBUG: "*" };
      const { stdout, stderr } = await runMain(debug, CHECK);
      expect(stderr).toContain("sending request to GET");
      expect(stdout + stderr).not.toMatch(/private-key-\d|body-password|response="[0-9a-f]/);
    }
    expect(service.requests.length).toBeGreaterThan(3);
  });
});
