import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readStack } from "../../sdk/command/read-stack.ts";

interface Options {
  readonly timeout: number;
  readonly env: { readonly PATH: string };
}
type Done = (error: Error | null, output: { readonly stdout: string }) => void;

const { pulumi } = vi.hoisted(() => ({
  /** What the Pulumi CLI prints for these arguments; it rejects where the CLI fails. */
  pulumi: vi.fn<(args: readonly string[], timeout: number) => Promise<string>>(),
}));

vi.mock("node:child_process", () => ({
  execFile(file: string, args: readonly string[], { timeout, env }: Options, done: Done) {
    expect(file).toBe("pulumi");
    expect(env.PATH).not.toMatch(/node_modules.\.bin/);
    pulumi(args, timeout).then(
      (stdout) => done(null, { stdout }),
      (error: Error) => done(error, { stdout: "" }),
    );
  },
}));

beforeEach(() => pulumi.mockRejectedValue(new Error("not expected")));
afterEach(() => void pulumi.mockReset());

function failsWith(facts: object): void {
  pulumi.mockRejectedValue(Object.assign(new Error("Command failed: pulumi config private-key-0001"), facts));
}

describe("the configuration of a stack", () => {
  it("is what the Pulumi CLI says of it, in clear", async () => {
    const configuration = {
      "agent-log-config:baseUrl": { value: "https://example.com", secret: false },
      "agent-log-config:privateKey": { value: "private-key-0001", secret: true },
      "other:list": { value: '["a"]', objectValue: ["a"], secret: false },
    };
    pulumi.mockResolvedValue(JSON.stringify(configuration));
    expect(await readStack("dev")).toMatchObject({
      "agent-log-config:baseUrl": { value: "https://example.com", secret: false },
      "agent-log-config:privateKey": { value: "private-key-0001", secret: true },
    });
    const args = ["config", "--json", "--show-secrets", "--stack", "dev", "--non-interactive", "--color=never"];
    expect(pulumi.mock.calls).toEqual([[args, undefined]]);
  });

  it.each([
    { description: "no such stack", stderr: "error: no stack named 'dev' found\n", says: "no stack named 'dev' found" },
    {
      description: "a login",
      stderr: "Logging in using access token from PULUMI_ACCESS_TOKEN\nerror: refused.\nmore\n",
      says: "refused",
    },
    {
      description: "a backend with a password",
      stderr: 'error: can\'t open "postgres://u:p@ss/secret-0001@host:5432/db?x=secret-0002": refused\n',
      says: 'can\'t open "postgres://***@host:5432/db?***": refused',
    },
    { description: "control characters", stderr: "error: \u001b[31mred\u0007\n", says: "\uFFFD[31mred\uFFFD" },
    { description: "no reason", stderr: "private-key-0001\n", says: "the pulumi command failed" },
  ])("that can't be read for $description has a code and the reason", async ({ stderr, says }) => {
    failsWith({ code: 255, stderr, stdout: "private-key-0001" });
    await expect(readStack("dev")).rejects.toMatchObject({
      code: "ERR_STACK",
      message: `The configuration of stack dev can't be read: ${says}; check the name with \`pulumi stack ls\`, the passphrase and the backend. See https://www.npmjs.com/package/pulumi-agent-log-config#err_stack.`,
    });
  });

  it("needs the Pulumi CLI", async () => {
    failsWith({ code: "ENOENT" });
    await expect(readStack("dev")).rejects.toMatchObject({
      code: "ERR_STACK",
      message: expect.stringContaining(
        "can't be read: there is no pulumi command on the PATH outside of node_modules; install it,",
      ),
    });
  });

  it.each(["private-key-0001", '{"agent-log-config:privateKey":"private-key-0001"}'])(
    "is not quoted where it is not as expected: %s",
    async (stdout) => {
      pulumi.mockResolvedValue(stdout);
      await expect(readStack("dev")).rejects.toMatchObject({
        code: "ERR_STACK",
        message: expect.not.stringContaining("private-key-0001"),
      });
    },
  );
});
