import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { hasProject, readStack, selectedStack } from "../../sdk/command/read-stack.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

beforeEach((context) => {
  if (process.platform === "win32") context.skip("Windows starts no script by its name alone");
});

/** Puts a Pulumi CLI alone on the PATH. Returns what it was called with. */
function givePulumi({ stdout = "", stderr = "", end = "exit 0" }): () => readonly string[] {
  const folder = temporaryFolder("read-stack");
  const put = (name: string, text: string, mode?: number) => writeFileSync(path.join(folder, name), text, { mode });
  put("out", stdout);
  put("err", stderr);
  put(
    "pulumi",
    `#!/bin/sh\ncd "${folder}"\nprintf '%s\\n' "$@" > args\n/bin/cat out\n/bin/cat err >&2\n${end}\n`,
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

  it("is that of the selected stack if none is named", async () => {
    const argsOf = givePulumi({ stdout: "{}" });
    expect(await readStack(undefined)).toEqual({});
    expect(argsOf()).toEqual(["config", "--json", "--show-secrets", "--non-interactive", "--color=never"]);
    givePulumi({ stderr: "error: no stack selected\n", end: "exit 1" });
    const message = expect.stringContaining(
      "The configuration of the selected stack can't be read: no stack selected.",
    );
    await expect(readStack(undefined)).rejects.toMatchObject({ message });
  });

  it("is not awaited for ever", async () => {
    const argsOf = givePulumi({ stdout: "private-key-0001", end: "echo $$ > args\nexec /bin/sleep 600" });
    const message = expect.stringMatching(/: the pulumi command did not end within 1 s; check the backend/);
    await expect(readStack("dev", 1)).rejects.toMatchObject({ code: "ERR_STACK", message });
    expect(() => process.kill(Number(argsOf()[0]), 0)).toThrow("ESRCH");
  });

  it("may not be longer than 1 MiB", async () => {
    givePulumi({ stdout: JSON.stringify({ "other:text": { value: "x".repeat(3_000_000), secret: false } }) });
    const message = expect.stringContaining(": the pulumi command printed more than 1 MiB. See");
    await expect(readStack("dev")).rejects.toMatchObject({ code: "ERR_STACK", message });
  });

  it.each([
    { stderr: "error: no stack named 'dev' found\n", says: "no stack named 'dev' found." },
    { stderr: "Logging in using access token\nerror: refused.\nmore\n", says: "refused." },
    {
      stderr: 'error: can\'t open "postgres://u:p@ss/secret-0001@host:5432/db?x=secret-0002": refused\n',
      says: 'can\'t open "postgres://***@host:5432/db?***": refused.',
    },
    { stderr: "error: \u001b[31mred\u0007\n", says: "\uFFFD[31mred\uFFFD." },
    { stderr: "private-key-0001\n", says: "the pulumi command failed; run `pulumi config` to see why." },
  ])("is missed in one sentence, after $stderr", async ({ stderr, says }) => {
    givePulumi({ stderr, stdout: "private-key-0001", end: "exit 1" });
    await expect(readStack("dev")).rejects.toMatchObject({
      code: "ERR_STACK",
      message: expect.stringContaining(`The configuration of stack dev can't be read: ${says}`),
    });
    await expect(readStack("dev")).rejects.not.toThrow("private-key-0001");
  });

  it("is that of the stack whose name the Pulumi CLI says", async () => {
    const argsOf = givePulumi({ stdout: "organization/dev\n" });
    expect(await selectedStack()).toBe("organization/dev");
    expect(argsOf()).toEqual(["stack", "--show-name", "--non-interactive", "--color=never"]);
    givePulumi({ stderr: "error: no stack selected\n", end: "exit 255" });
    expect(await selectedStack()).toBeUndefined();
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

it.each([
  { file: "Pulumi.yaml", folder: "", isProject: true },
  { file: "Pulumi.yml", folder: "a/b", isProject: true },
  { file: "Pulumi.json", folder: "a", isProject: true },
  { file: "a/Pulumi.yaml", folder: "", isProject: false },
  { file: "Pulumi.dev.yaml", folder: "", isProject: false },
])("a project is in the folder or above it: $file seen from '$folder'", ({ file, folder, isProject }) => {
  const root = temporaryFolder("project");
  mkdirSync(path.join(root, "a/b"), { recursive: true });
  writeFileSync(path.join(root, file), "");
  expect(hasProject(path.join(root, folder))).toBe(isProject);
});
