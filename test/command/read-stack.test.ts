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

  it.each<{ facts: object; says: string }>([
    { facts: { stderr: "error: no stack named 'dev' found\n" }, says: "no stack named 'dev' found; check the name" },
    { facts: { stderr: "Logging in using access token\nerror: refused.\nmore\n" }, says: "refused; check the name" },
    {
      facts: { stderr: 'error: can\'t open "postgres://u:p@ss/secret-0001@host:5432/db?x=secret-0002": refused\n' },
      says: 'can\'t open "postgres://***@host:5432/db?***": refused; check',
    },
    { facts: { stderr: "error: \u001b[31mred\u0007\n" }, says: "\uFFFD[31mred\uFFFD; check" },
    { facts: { stderr: "private-key-0001\n", stdout: "private-key-0001" }, says: "the pulumi command failed; check" },
    { facts: { code: "ENOENT" }, says: "there is no pulumi command on the PATH outside of node_modules; install it," },
  ])("is missed in one sentence, after $facts", async ({ facts, says }) => {
    failsWith(facts);
    await expect(readStack("dev")).rejects.toMatchObject({
      code: "ERR_STACK",
      message: expect.stringContaining(`The configuration of stack dev can't be read: ${says}`),
    });
    await expect(readStack("dev")).rejects.not.toThrow("private-key-0001");
  });

  it.each(["private-key-0001", '{"agent-log-config:privateKey":"private-key-0001"}'])(
    "is not quoted where it is not as expected: %s",
    async (stdout) => {
      pulumi.mockResolvedValue(stdout);
      const message = expect.not.stringContaining("private-key-0001");
      await expect(readStack("dev")).rejects.toMatchObject({ code: "ERR_STACK", message });
    },
  );
});
