import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Step } from "../../sdk/check/steps.ts";
import { type CannedResponse, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { CA_FILE, TLS } from "../client/test-certificate.ts";
import { type CommandResult, runCommand } from "../engine/run-command.ts";
import { listen } from "../servers/listen.ts";
import { type Environment, environmentOf, MAIN, runMain } from "./run-main.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const PRIVATE_KEY = "private-key-0001";
const CHECK = ["check", "--project", PROJECT_ID];

interface Setup {
  readonly service: Service;
  readonly environment: Environment;
}

async function setUp(options: ServiceOptions = {}): Promise<Setup> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log", password: "body-password-0001" });
  return { service, environment: environmentOf(service) };
}

function run(environment: Environment, ...args: string[]): Promise<CommandResult> {
  return runMain(environment, args);
}

/** The status of each step, or the code where it failed. */
function statusesOf(stdout: string): Record<string, string> {
  const { steps }: { steps: Step[] } = JSON.parse(stdout);
  return Object.fromEntries(steps.map(({ step, status, code }) => [step, code ?? status]));
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
- TLS         not asked for: the address is plain http, so the settings travel
              unencrypted
✓ challenge   Digest, realm "Example Public API"
✓ key         accepted
✓ role        sufficient
✓ monitoring  it logs to /var/log/agent.log
✓ backup      it logs to standard error
`,
      stderr: "",
    });
  });

  it.each<{ description: string; step: string; code: string; says: string; change: (setup: Setup) => Environment }>([
    {
      description: "missing settings",
      step: "settings",
      code: "ERR_MISSING_SETTINGS",
      says: "Connection settings are missing: privateKey",
      change: () => ({ AGENT_LOG_CONFIG_PRIVATE_KEY: "" }),
    },
    {
      description: "an unknown host",
      step: "name",
      code: "ERR_CONNECTION",
      says: "its host name is unknown",
      change: () => ({ AGENT_LOG_CONFIG_BASE_URL: "https://service.invalid" }),
    },
    {
      description: "a port that nothing listens at",
      step: "connection",
      code: "ERR_CONNECTION",
      says: "nothing listens there",
      change: () => ({ AGENT_LOG_CONFIG_BASE_URL: "http://127.0.0.1:9" }),
    },
    {
      description: "a port without TLS",
      step: "TLS",
      code: "ERR_TLS",
      says: "the port does not speak TLS",
      change: ({ service }) => ({ AGENT_LOG_CONFIG_BASE_URL: service.baseUrl.replace("http:", "https:") }),
    },
    {
      description: "a wrong key",
      step: "key",
      code: "ERR_WRONG_KEY",
      says: "check publicKey and privateKey",
      change: () => ({ AGENT_LOG_CONFIG_PRIVATE_KEY: "private-key-wrong" }),
    },
    {
      description: "a missing role",
      step: "role",
      code: "ERR_ROLE_MISSING",
      says: "give it Project Automation Admin",
      change: ({ service }) => {
        service.respondWith(refusal(401, "USER_UNAUTHORIZED"));
        return {};
      },
    },
    {
      description: "an unknown project",
      step: "role",
      code: "ERR_PROJECT_NOT_FOUND",
      says: "there is no such project",
      change: ({ service }) => {
        service.set(PROJECT_ID, "monitoring", undefined);
        return {};
      },
    },
  ])("fails at the right step for $description", async ({ step, code, says, change }) => {
    const setup = await setUp();
    const changed = change(setup);
    const { exitCode, stdout } = await run({ ...setup.environment, ...changed }, ...CHECK, "--json");
    const { ok, steps }: { ok: boolean; steps: Step[] } = JSON.parse(stdout);
    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
    const failed = steps.findIndex(({ status }) => status === "failed");
    expect(steps[failed]).toMatchObject({ step, status: "failed", code, message: expect.stringContaining(says) });
    expect(steps.slice(0, failed).filter(({ status }) => status !== "ok" && status !== "not asked for")).toEqual([]);
    expect(steps.slice(failed + 1).every(({ status }) => status === "not reached")).toBe(true);
  });

  it.each<{ description: string; response: CannedResponse; code: string }>([
    { description: "an overloaded service", response: { status: 503 }, code: "ERR_UNAVAILABLE" },
    { description: "too many requests", response: { status: 429 }, code: "ERR_RATE_LIMITED" },
    { description: "a web page", response: { status: 200, body: "<html>" }, code: "ERR_INVALID_RESPONSE" },
  ])("claims neither the key nor the role of $description", async ({ response, code }) => {
    const { environment, service } = await setUp();
    service.respondWith(response);
    const { exitCode, stdout } = await run(environment, ...CHECK, "--json");
    expect(exitCode).toBe(1);
    expect(statusesOf(stdout)).toEqual({
      settings: "ok",
      name: "ok",
      connection: "ok",
      TLS: "not asked for",
      challenge: "ok",
      key: "not reached",
      role: "not reached",
      monitoring: code,
      backup: "not reached",
    });
  });

  it("claims no key where the server asks for none", async () => {
    const { environment } = await setUp();
    const port = await listen(createServer((_, response) => response.end('{"logPath":"/log"}')));
    const { exitCode, stdout } = await run(
      { ...environment, AGENT_LOG_CONFIG_BASE_URL: `http://127.0.0.1:${port}` },
      ...CHECK,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`- challenge   not asked for: the server responds without credentials
- key         not asked for
- role        not asked for
✓ monitoring  it logs to /log
`);
  });

  it.each([
    { description: "a web page", status: 200, body: "<html>", failed: { challenge: "ERR_INVALID_RESPONSE" } },
    { description: "an outage", status: 503, body: "", failed: { challenge: "ERR_UNAVAILABLE" } },
    {
      description: "an unknown project",
      status: 404,
      body: '{"error":404,"errorCode":"GROUP_NOT_FOUND"}',
      failed: { challenge: "not asked for", key: "not asked for", monitoring: "ERR_PROJECT_NOT_FOUND" },
    },
  ])("claims no key where the server responds to anyone with $description", async ({ status, body, failed }) => {
    const { environment } = await setUp();
    const port = await listen(createServer((_, response) => response.writeHead(status).end(body)));
    const { stdout } = await run(
      { ...environment, AGENT_LOG_CONFIG_BASE_URL: `http://127.0.0.1:${port}` },
      ...CHECK,
      "--json",
    );
    expect(statusesOf(stdout)).toMatchObject({
      key: "not reached",
      role: expect.stringMatching(/^not/),
      ...failed,
      backup: "not reached",
    });
  });

  it("names the proxy, and fails at the connection where the proxy reaches nothing", async () => {
    const { environment } = await setUp({ tls: TLS });
    const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    const HTTPS_PROXY = `http://localhost:${await listen(proxy)}`;
    const { stdout } = await run({ ...environment, HTTPS_PROXY, NO_PROXY: "" }, ...CHECK);
    expect(stdout).toMatch(/✓ name {8}localhost, a proxy\n✗ connection [\s\S]+\n- TLS {9}not reached\n/);
  });

  it("names the service's certificate", async () => {
    const { environment } = await setUp({ tls: TLS });
    const { stdout } = await run(
      { ...environment, AGENT_LOG_CONFIG_CA_CERTIFICATE: readFileSync(CA_FILE, "utf8") },
      ...CHECK,
    );
    expect(stdout).toContain(
      `✓ TLS         TLSv1.3, certificate of localhost from Test authority, valid until\n${" ".repeat(14)}Oct 28 05:50:39 2126 GMT`,
    );
  });

  it("ends quietly where nobody reads what it prints", async () => {
    const { environment } = await setUp();
    const script = `"$@" | true`;
    const { stderr } = await runCommand("sh", ["-c", script, "sh", process.execPath, MAIN, ...CHECK], {
      cwd: tmpdir(),
      env: { ...process.env, ...environment },
      signal: AbortSignal.timeout(60_000),
    });
    expect(stderr).not.toContain("EPIPE");
  });

  it("keeps to 80 columns", async () => {
    const { environment } = await setUp();
    const { stdout } = await run({ ...environment, AGENT_LOG_CONFIG_PRIVATE_KEY: "wrong" }, ...CHECK);
    const lines = stdout.split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines).toContain("  https://www.npmjs.com/package/pulumi-agent-log-config#err_wrong_key");
    const { stdout: help } = await run({}, "--help");
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it("ends with 2 for wrong arguments", async () => {
    const { exitCode, stdout, stderr } = await run({}, "check", "--project", "123");
    const says = '--project must be 24 hexadecimal digits, not "123". Try --help.\n';
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: "", stderr: says });
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
    expect(found.stdout).not.toContain("! warning");
    await writeFile(path.join(folder, "pulumi"), script.replace('"secret":true', '"secret":false'));
    const plain = await run(inStack, ...CHECK, "--stack", "dev");
    expect(plain.stdout).toContain("! warning     The stack keeps agent-log-config:privateKey in plain text: run");
    expect(plain.exitCode).toBe(0);
    await writeFile(path.join(folder, "pulumi"), script.replace(":privateKey", ":privatekey"));
    const misspelt = await run(inStack, ...CHECK, "--stack", "dev");
    expect(misspelt.stdout).toContain("✗ settings    Connection settings are missing: privateKey.");
    expect(misspelt.stdout).toMatch(
      /! warning +The stack configuration has unknown settings:\s+agent-log-config:privatekey/,
    );
    const missing = await run(inStack, ...CHECK, "--stack", "other");
    expect(missing.stdout).toContain(
      "✗ settings    The configuration of stack other can't be read: no stack named\n              'other' found. See\n",
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
