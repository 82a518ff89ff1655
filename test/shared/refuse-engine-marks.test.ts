import { expect, it } from "vitest";
import type { AgentLogConfigResult } from "../../sdk/client/index.ts";
import { SIGNATURE_KEY, UNKNOWN } from "../../sdk/shared/engine-marks.ts";
import { refuseEngineMarks } from "../../sdk/shared/refuse-engine-marks.ts";

const RESULT: AgentLogConfigResult = {
  id: "0123456789abcdef01234567/backup",
  projectId: "0123456789abcdef01234567",
  agent: "backup",
  logPath: "/var/log/backup.log",
  logPathWindows: "%SystemDrive%\\log",
  logRotate: undefined,
  username: "CN=agent",
  configOverrides: { list: [{ deep: "value" }], empty: "", "<{": 1 },
  serviceVersion: undefined,
};

it("accepts plain data", () => {
  expect(() => refuseEngineMarks(RESULT)).not.toThrow();
});

it.each([
  [{ logPath: UNKNOWN }, "logPath has a value by which Pulumi marks what is not known yet"],
  [{ username: "a<{%bad%}>" }, "username has a sequence of characters"],
  [{ logPath: "/a\ud800" }, "logPath has half of a surrogate pair"],
  [{ logPath: "/a\u001b[2J" }, "logPath has control characters"],
  [{ configOverrides: { "\ud800": 1 } }, "configOverrides has a key with half of a surrogate pair"],
  [{ configOverrides: { a: [{ [SIGNATURE_KEY]: "x" }] } }, "configOverrides.a.0 has the key by which Pulumi marks"],
  [{ configOverrides: { __pulumiAsset: true } }, "configOverrides has a key that begins with __pulumi"],
  [{ configOverrides: { a: { "": 1 } } }, "configOverrides.a has an empty key"],
  [{ configOverrides: { "<{%bad": 1 } }, "configOverrides has a key with a sequence of characters"],
  [{ configOverrides: { "\u009B": { "": 1 } } }, "configOverrides.\uFFFD has an empty key"],
])("refuses what the engine takes for more than data, and names the path: %j", (settings, sentence) => {
  expect(() => refuseEngineMarks({ ...RESULT, ...settings })).toThrow(
    `The backup agent's log settings of project ${RESULT.projectId} can't be used in a Pulumi program: ${sentence}`,
  );
});

it("never quotes a value", () => {
  const configOverrides = { key: "body-value-0001<{%" };
  expect(() => refuseEngineMarks({ ...RESULT, configOverrides })).not.toThrow(/body-value-0001/);
  expect(() => refuseEngineMarks({ ...RESULT, configOverrides })).toThrow("configOverrides.key has a sequence");
});
