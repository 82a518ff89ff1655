import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { type CommandResult, runCommand } from "../engine/run-command.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const PRIVATE_KEY = "private-key-0001";
const CHECK = ["check", "--project", PROJECT_ID];

type Environment = Readonly<Record<string, string | undefined>>;

interface Setup {
  readonly service: Service;
  readonly environment: Environment;
}

async function setUp(options: ServiceOptions = {}): Promise<Setup> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log", password: "body-password-0001" });
  return {
    service,
    environment: {
      AGENT_LOG_CONFIG_BASE_URL: service.baseUrl,
      AGENT_LOG_CONFIG_PUBLIC_KEY: "publickey",
      AGENT_LOG_CONFIG_PRIVATE_KEY: PRIVATE_KEY,
      AGENT_LOG_CONFIG_ALLOW_HTTP: "true",
    },
  };
}

function run(environment: Environment, ...args: string[]): Promise<CommandResult> {
  const main = path.resolve(import.meta.dirname, "../../sdk/check/main.ts");
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...environment };
  const signal = AbortSignal.timeout(60_000);
  return runCommand(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args], {
    cwd: tmpdir(),
    env,
    signal,
  });
}

function refusal(status: number, errorCode: string): { status: number; body: string } {
  return { status, body: JSON.stringify({ error: status, errorCode }) };
}

describe("the command check", () => {
  it("says of every step that it went well", async () => {
    const { environment } = await setUp();
    const { exitCode, stdout, stderr } = await run(environment, ...CHECK);
    const steps = stdout.replace(/port \d+/, "port N");
    expect({ exitCode, steps, stderr }).toEqual({
      exitCode: 0,
      steps: `✓ settings    from the environment: baseUrl, publicKey, privateKey, allowHttp
✓ name        127.0.0.1
✓ connection  127.0.0.1 port N
✓ TLS         not used: the settings travel in clear
✓ challenge   Digest, realm "Example Public API"
✓ key         accepted
✓ role        sufficient
✓ monitoring  it logs to /var/log/agent.log
✓ backup      it logs to standard error
`,
      stderr: "",
    });
  });

  it.each<{ description: string; step: string; says: string; change: (setup: Setup) => Environment }>([
    {
      description: "missing settings",
      step: "settings",
      says: "Connection settings are missing: privateKey",
      change: () => ({ AGENT_LOG_CONFIG_PRIVATE_KEY: "" }),
    },
    {
      description: "an unknown host",
      step: "name",
      says: "its host name is unknown",
      change: () => ({ AGENT_LOG_CONFIG_BASE_URL: "https://service.invalid" }),
    },
    {
      description: "a port that nothing listens at",
      step: "connection",
      says: "nothing listens there",
      change: () => ({ AGENT_LOG_CONFIG_BASE_URL: "http://127.0.0.1:9" }),
    },
    {
      description: "a port without TLS",
      step: "TLS",
      says: "the port does not speak TLS",
      change: ({ service }) => ({ AGENT_LOG_CONFIG_BASE_URL: service.baseUrl.replace("http:", "https:") }),
    },
    {
      description: "a wrong key",
      step: "key",
      says: "check publicKey and privateKey",
      change: () => ({ AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-wrong" }),
    },
    {
      description: "a missing role",
      step: "role",
      says: "give it Project Automation Admin",
      change: ({ service }) => {
        service.answerWith(refusal(401, "USER_UNAUTHORIZED"));
        return {};
      },
    },
    {
      description: "a project that there is none of",
      step: "role",
      says: "there is no such project",
      change: ({ service }) => {
        service.set(PROJECT_ID, "monitoring", undefined);
        return {};
      },
    },
  ])("fails at the right step for $description", async ({ step, says, change }) => {
    const setup = await setUp();
    const changed = change(setup);
    const { exitCode, stdout } = await run({ ...setup.environment, ...changed }, ...CHECK, "--json");
    const { ok, steps }: { ok: boolean; steps: { step: string; status: string; message: string }[] } =
      JSON.parse(stdout);
    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
    const failed = steps.findIndex(({ status }) => status === "failed");
    expect(steps[failed]).toEqual({ step, status: "failed", message: expect.stringContaining(says) });
    expect(steps.slice(0, failed).every(({ status }) => status === "ok")).toBe(true);
    expect(steps.slice(failed + 1).every(({ status }) => status === "not reached")).toBe(true);
  });

  it("names the service's certificate", async () => {
    const { environment } = await setUp({ tls: TLS });
    const { stdout } = await run(
      { ...environment, AGENT_LOG_CONFIG_CA_CERTIFICATE: readFileSync(CA_FILE, "utf8") },
      ...CHECK,
    );
    expect(stdout).toContain(
      `✓ TLS         TLSv1.3, certificate of localhost from Test authority, good until\n${" ".repeat(14)}Oct 28 05:50:39 2126 GMT`,
    );
  });

  it("ends quietly where nobody reads what it prints", async () => {
    const { environment } = await setUp();
    const script = `"$@" | true`;
    const main = path.resolve(import.meta.dirname, "../../sdk/check/main.ts");
    const { stderr } = await runCommand("sh", ["-c", script, "sh", process.execPath, main, ...CHECK], {
      cwd: tmpdir(),
      env: { ...process.env, ...environment },
      signal: AbortSignal.timeout(60_000),
    });
    expect(stderr).not.toContain("EPIPE");
  });

  it("keeps to 80 columns", async () => {
    const { environment } = await setUp();
    const { stdout } = await run({ ...environment, AGENT_LOG_CONFIG_PRIVATE_KEY: "wrong" }, ...CHECK);
    const words = stdout.split("\n").filter((line) => !line.includes("https://"));
    expect(Math.max(...words.map((line) => line.length))).toBeLessThanOrEqual(80);
    const { stdout: help } = await run({}, "--help");
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.each([
    { args: [], says: "The one command is check. Try --help.\n" },
    { args: ["check"], says: "The project is missing: --project <24 hexadecimal digits>. Try --help.\n" },
    { args: ["check", "--project", "zz"], says: "The project is missing: --project <24 hexadecimal digits>." },
    { args: ["check", "--privateKey", "x"], says: "Unknown option '--privateKey'. Try --help.\n" },
  ])("ends with 2 for wrong arguments: $args", async ({ args, says }) => {
    const { exitCode, stdout, stderr } = await run({}, ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(says);
  });

  it("takes the settings of a stack from the pulumi command", async (context) => {
    if (process.platform === "win32") context.skip("the stand-in of the pulumi command is a shell script");
    const { environment } = await setUp();
    const folder = await mkdtemp(path.join(tmpdir(), "check-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const configuration = { "agent-log-config:privateKey": { value: PRIVATE_KEY, secret: true } };
    const script = `#!/bin/sh\n[ "$*" = "config --json --show-secrets --non-interactive --stack dev" ] || { echo "error: no stack named '$6' found" >&2; exit 255; }\necho '${JSON.stringify(configuration)}'\n`;
    await writeFile(path.join(folder, "pulumi"), script);
    await chmod(path.join(folder, "pulumi"), 0o755);
    const inStack = { ...environment, AGENT_LOG_CONFIG_PRIVATE_KEY: undefined, PATH: `${folder}:/usr/bin:/bin` };
    const found = await run(inStack, ...CHECK, "--stack", "dev");
    expect(found.stdout).toContain("from the stack: privateKey; from the environment: baseUrl,");
    expect(found.exitCode).toBe(0);
    const missing = await run(inStack, ...CHECK, "--stack", "other");
    expect(missing.stdout).toContain(
      "✗ settings    The configuration of stack other can't be read: no stack named\n              'other' found.\n",
    );
    expect(missing.exitCode).toBe(1);
  });

  it("prints no secret, even with everything that Node.js can be made to print", async () => {
    const { environment, service } = await setUp();
    for (const key of [PRIVATE_KEY, "private-key-0002"]) {
      const debug = { ...environment, AGENT_LOG_CONFIG_PRIVATE_KEY: key, NODE_DEBUG: "*" };
      const { stdout, stderr } = await run(debug, ...CHECK);
      expect(stderr).toContain("sending request to GET");
      expect(stdout + stderr).not.toMatch(/private-key-\d|body-password|response="[0-9a-f]/);
    }
    expect(service.requests.length).toBeGreaterThan(3);
  });
});
