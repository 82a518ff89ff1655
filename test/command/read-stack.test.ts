import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readStack } from "../../sdk/command/read-stack.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

beforeEach((context) => {
  if (process.platform === "win32") context.skip("Windows starts no script by its name alone");
});

/** Puts a Pulumi CLI alone on the PATH. Returns what it was called with. */
function givePulumi({ stdout = "", stderr = "", status = 0 }): () => readonly string[] {
  const folder = temporaryFolder("read-stack");
  const put = (name: string, text: string, mode?: number) => writeFileSync(path.join(folder, name), text, { mode });
  put("out", stdout);
  put("err", stderr);
  put(
    "pulumi",
    `#!/bin/sh\ncd "${folder}"\nprintf '%s\\n' "$@" > args\n/bin/cat out\n/bin/cat err >&2\nexit ${status}\n`,
    0o755,
  );
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readFileSync(path.join(folder, "args"), "utf8").split("\n").slice(0, -1);
}

describe("the configuration of a stack", () => {
  it("is what the Pulumi CLI says of it, in clear", async () => {
    const configuration = {
      "agent-log-config:baseUrl": { value: "https://example.com", secret: false },
      "agent-log-config:privateKey": { value: "private-key-0001", secret: true },
      "other:list": { value: '["a"]', objectValue: ["a"], secret: false },
    };
    const argsOf = givePulumi({ stdout: JSON.stringify(configuration) });
    expect(await readStack("dev")).toMatchObject({
      "agent-log-config:baseUrl": { value: "https://example.com", secret: false },
      "agent-log-config:privateKey": { value: "private-key-0001", secret: true },
    });
    const args = ["config", "--json", "--show-secrets", "--stack", "dev", "--non-interactive", "--color=never"];
    expect(argsOf()).toEqual(args);
  });

  it("may be longer than 1 MiB", async () => {
    givePulumi({ stdout: JSON.stringify({ "other:text": { value: "x".repeat(3_000_000), secret: false } }) });
    expect((await readStack("dev"))["other:text"]?.value).toHaveLength(3_000_000);
  });

  it.each([
    { stderr: "error: no stack named 'dev' found\n", says: "no stack named 'dev' found; check the name" },
    { stderr: "Logging in using access token\nerror: refused.\nmore\n", says: "refused; check the name" },
    {
      stderr: 'error: can\'t open "postgres://u:p@ss/secret-0001@host:5432/db?x=secret-0002": refused\n',
      says: 'can\'t open "postgres://***@host:5432/db?***": refused; check',
    },
    { stderr: "error: \u001b[31mred\u0007\n", says: "\uFFFD[31mred\uFFFD; check" },
    { stderr: "private-key-0001\n", says: "the pulumi command failed; check" },
  ])("is missed in one sentence, after $stderr", async ({ stderr, says }) => {
    givePulumi({ stderr, stdout: "private-key-0001", status: 1 });
    await expect(readStack("dev")).rejects.toMatchObject({
      code: "ERR_STACK",
      message: expect.stringContaining(`The configuration of stack dev can't be read: ${says}`),
    });
    await expect(readStack("dev")).rejects.not.toThrow("private-key-0001");
  });

  it("is missed where there is no Pulumi CLI", async () => {
    vi.stubEnv("PATH", temporaryFolder("read-stack"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const message = expect.stringContaining("there is no pulumi command on the PATH");
    await expect(readStack("dev")).rejects.toMatchObject({ code: "ERR_STACK", message });
  });

  it.each(["private-key-0001", '{"agent-log-config:privateKey":"private-key-0001"}'])(
    "is not quoted where it is not as expected: %s",
    async (stdout) => {
      givePulumi({ stdout });
      const message = expect.not.stringContaining("private-key-0001");
      await expect(readStack("dev")).rejects.toMatchObject({ code: "ERR_STACK", message });
    },
  );
});
