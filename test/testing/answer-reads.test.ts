import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { AgentLogConfig, AgentLogConfigs, getAgentLogConfig, getAgentLogConfigOutput } from "../../sdk/index.ts";
import { answerReads, type SettingsByProject, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const BACKUP = { projectId: PROJECT_ID, agent: "backup" } as const;

beforeEach(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({}),
  });
});

function answer(settings: SettingsByProject): void {
  onTestFinished(answerReads(settings));
}

function resolved<T>(output: pulumi.Output<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => void pulumi.output(output).apply(resolve));
}

async function failureOf(read: Promise<unknown>): Promise<unknown> {
  return read.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("answerReads", () => {
  it("answers getAgentLogConfig without connection settings", async () => {
    answer({ [PROJECT_ID]: { backup: { logPath: "/l", password: "p" } } });
    const { logPath, logRotate, serviceVersion, ...rest } = await getAgentLogConfig(BACKUP);
    expect({ logPath, logRotate }).toEqual({ logPath: "/l", logRotate: undefined });
    expect(serviceVersion?.versionString).toMatch(/^7\.0\.11/);
    expect(rest).not.toHaveProperty("password");
  });

  it("answers getAgentLogConfigOutput", async () => {
    answer({ [PROJECT_ID]: { monitoring: { logRotate: { timeDurationHrs: "24" } } } });
    const output = getAgentLogConfigOutput({ projectId: pulumi.output(PROJECT_ID), agent: "monitoring" });
    expect(await resolved(output.apply(({ logRotate }) => logRotate?.timeThresholdHrs))).toBe(24);
  });

  it("answers the resource", async () => {
    answer({ [PROJECT_ID]: { backup: { logPath: "/l", logRotate: { sizeThresholdMB: 1000 } } } });
    const { logPath, logRotate } = new AgentLogConfig("logs", BACKUP);
    expect(await resolved(logPath)).toBe("/l");
    expect(await resolved(logRotate)).toEqual({ sizeThresholdMB: 1000 });
  });

  it.each([
    { description: "an agent without settings", settings: { [PROJECT_ID]: { monitoring: { logPath: "/m" } } } },
    { description: "a project without settings", settings: { [PROJECT_ID]: {} } },
    { description: "an id in upper case", settings: { [PROJECT_ID.toUpperCase()]: { backup: { logPath: null } } } },
    { description: "a value that JSON does not have", settings: { [PROJECT_ID]: { backup: { logPath: undefined } } } },
  ])("gives every field as absent for $description", async ({ settings }) => {
    answer(settings);
    const { id, projectId, agent, serviceVersion: _, configOverrides, ...fields } = await getAgentLogConfig(BACKUP);
    expect({ id, projectId, agent }).toEqual({ id: `${PROJECT_ID}/backup`, ...BACKUP });
    expect(await resolved(configOverrides)).toBeUndefined();
    expect(fields).toStrictEqual({
      logPath: undefined,
      logPathWindows: undefined,
      logRotate: undefined,
      username: undefined,
    });
  });

  it.each<{ description: string; settings: SettingsByProject; args: { projectId: string; agent: "backup" } }>([
    { description: "an unknown project", settings: {}, args: BACKUP },
    {
      description: "settings of another shape",
      settings: { [PROJECT_ID]: { backup: { logPath: 5, logRotate: { numTotal: "many" } } } },
      args: BACKUP,
    },
    { description: "a malformed project id", settings: {}, args: { projectId: "0123", agent: "backup" } },
  ])("fails as over HTTP for $description", async ({ settings, args }) => {
    answer(settings);
    const service = await startService({ settings });
    onTestFinished(() => service.close());
    const keys = { publicKey: "publickey", privateKey: "private-key-0001" };
    const client = new AgentLogConfigClient({ baseUrl: service.baseUrl, ...keys, allowHttp: true });
    onTestFinished(() => client.close());

    const theirs = await failureOf(client.get(args));
    if (!(theirs instanceof Error && "code" in theirs)) throw new Error("The client gave no error with a code.");
    const message = theirs.message.replace(new URL(service.baseUrl).host, "answerReads");
    expect(await failureOf(getAgentLogConfig(args))).toMatchObject({ code: theirs.code, message });
  });

  it("fails the resource too, which has no engine to report a problem", async () => {
    const program = `
      import * as pulumi from "@pulumi/pulumi";
      import { AgentLogConfig } from "pulumi-agent-log-config";
      import { answerReads } from "pulumi-agent-log-config/testing";
      await pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "x", state: inputs }), call: () => ({}) });
      answerReads({});
      new AgentLogConfig("logs", ${JSON.stringify(BACKUP)});`;
    const cwd = path.resolve(import.meta.dirname, "../..");
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd });
    const { stderr } = await run.then(
      () => ({ stderr: "no failure" }),
      (failure: { stderr: string }) => failure,
    );
    expect(stderr.match(/there is no such project; check projectId/g)).not.toBeNull();
  });

  it.each([
    {
      description: "settings that are not as expected",
      settings: { [PROJECT_ID]: { backup: { logRotate: { sizeThresholdMB: 2000 } } } },
      failure: {
        code: "ERR_UNEXPECTED",
        message: expect.stringMatching(/sizeThresholdMB is 2000, expected at most 1000/),
      },
    },
    { description: "a failed read", settings: {}, failure: { code: "ERR_PROJECT_NOT_FOUND", temporary: false } },
  ])("tells onFailure of $description, in a component too", async ({ settings, failure }) => {
    const told = new Promise((onFailure) => onTestFinished(answerReads(settings, { onFailure })));
    const expected = { logRotate: { sizeThresholdMB: { atMost: 1000 } } };
    const args = { projectIds: [PROJECT_ID], agents: ["backup" as const], expect: expected };
    const { configs } = new AgentLogConfigs("fleet", args);
    expect(await told).toMatchObject(failure);
    await resolved(configs);
  });

  it("does not tell onFailure of settings that are as expected", async () => {
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    onTestFinished(answerReads({ [PROJECT_ID]: { backup: { logPath: "/l" } } }, { onFailure }));
    await resolved(new AgentLogConfig("logs", { ...BACKUP, expect: { logPath: "/l" } }).logPath);
    expect(failures).toEqual([]);
  });

  it("refuses settings that JSON can't hold", () => {
    expect(() => answerReads({ [PROJECT_ID]: { backup: { logRotate: { numTotal: 1n } } } })).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }),
    );
  });

  it("ends, and not by the end of an earlier call", async () => {
    const endEarlier = answerReads({ [PROJECT_ID]: { backup: { logPath: "/earlier" } } });
    const end = answerReads({ [PROJECT_ID]: { backup: { logPath: "/later" } } });
    onTestFinished(end);
    endEarlier();
    expect(await getAgentLogConfig(BACKUP)).toMatchObject({ logPath: "/later" });
    end();
    expect(await failureOf(getAgentLogConfig(BACKUP))).toMatchObject({ code: "ERR_MOCKED" });
  });

  it.each<{ settings: Readonly<Record<string, object>>; says: string }>([
    { settings: { "0123": {} }, says: 'The id "0123/monitoring" does not have the form <projectId>/<agent>' },
    { settings: { [PROJECT_ID]: { backups: {} } }, says: `The id "${PROJECT_ID}/backups" does not have the form` },
  ])("refuses $settings", ({ settings, says }) => {
    expect(() => answerReads(settings)).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }));
    expect(() => answerReads(settings)).toThrow(says);
  });
});
