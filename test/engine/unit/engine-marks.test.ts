import * as rpc from "@pulumi/pulumi/runtime/rpc.js";
import { expect, it } from "vitest";
import type { AgentLogConfigResult } from "../../../sdk/client/index.ts";
import { SIGNATURE_KEY, UNKNOWN } from "../../../sdk/engine/engine-marks.ts";
import { refuseUnusableSettings } from "../../../sdk/reading/usable-settings.ts";
import { NO_THRESHOLDS } from "../../record/settings-of.ts";

const RESULT: AgentLogConfigResult = {
  id: "0123456789abcdef01234567/backup",
  projectId: "0123456789abcdef01234567",
  agent: "backup",
  logPath: "/var/log/backup.log",
  logPathWindows: "%SystemDrive%\\log",
  logRotate: NO_THRESHOLDS,
  username: "CN=agent",
  configOverrides: { list: [{ deep: "value" }], empty: "", "<{": 1 },
  serviceVersion: undefined,
};

it("accepts plain data, up to 100 levels of it", () => {
  expect(() => refuseUnusableSettings(RESULT)).not.toThrow();
  const configOverrides = JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`);
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).not.toThrow();
});

const RESERVED = "configOverrides has a key that is empty, or that Pulumi or JavaScript uses itself";

it.each([
  [{ logPath: UNKNOWN }, "logPath has a value by which Pulumi marks what is not known yet"],
  [{ username: "a<{%bad%}>" }, "username has a sequence of characters"],
  [{ logPath: "/a##vso[task.setvariable]" }, "logPath has a sequence of characters (number signs, bracket)"],
  [{ logPath: "/a##teamcity[setParameter]" }, "logPath has a sequence of characters (number signs, bracket)"],
  [{ configOverrides: { "a##[error]": 1 } }, "configOverrides has a sequence of characters (number signs, bracket)"],
  [{ logPath: "/a\ud800" }, "logPath has half of a surrogate pair"],
  [{ logPath: "/a\u001b[2J" }, "logPath has control characters"],
  [{ configOverrides: { "\ud800": 1 } }, "configOverrides has half of a surrogate pair"],
  [{ configOverrides: { a: [{ [SIGNATURE_KEY]: "x" }] } }, RESERVED],
  [{ configOverrides: { __pulumiAsset: true } }, RESERVED],
  [{ configOverrides: { a: { "": 1 } } }, RESERVED],
  [{ configOverrides: { a: [JSON.parse('{"__proto__":1}')] } }, RESERVED],
  [{ configOverrides: JSON.parse('{"a":[{"b":1e999}]}') }, "configOverrides has a number beyond the limits of JSON"],
  [
    { configOverrides: JSON.parse(`${'{"a":'.repeat(101)}1${"}".repeat(101)}`) },
    "configOverrides has more than 100 levels",
  ],
  [{ configOverrides: { "<{%bad": 1 } }, "configOverrides has a sequence of characters"],
  [
    { serviceVersion: { gitHash: undefined, versionString: UNKNOWN } },
    "serviceVersion has a value by which Pulumi marks what is not known yet",
  ],
])("refuses what the engine takes for more than data, and names the setting: %j", (settings, sentence) => {
  expect(() => refuseUnusableSettings({ ...RESULT, ...settings })).toThrow(
    `The backup agent's log settings of project ${RESULT.projectId} can't be used in a Pulumi program: ${sentence}`,
  );
});

// The SDK of Node.js has the first; the others are Unknown...Value of sdk/go/common/resource/plugin/rpc.go in pulumi/pulumi.
it.each([
  rpc.unknownValue,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
])("refuses the mark %s of what is not known yet", (mark) => {
  const configOverrides = { a: [{ b: mark }] };
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).toThrow(
    "configOverrides has a value by which Pulumi",
  );
});

const SIGNATURES = Object.entries(rpc).filter(([name]) => /^special\w+Sig$/.test(name));

it.each(SIGNATURES)("refuses what the SDK marks with %s", (_, signature) => {
  const configOverrides = { deep: { [rpc.specialSigKey]: signature } };
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).toThrow(RESERVED);
});

it("refuses configOverrides of more than 64 KiB as JSON", () => {
  const ofLength = (length: number) => {
    const keys = Array.from({ length: 31 }, (_, index) => [`${index}`, "x".repeat(2000)]);
    const others = Object.fromEntries(keys);
    return { ...others, k: "x".repeat(length - JSON.stringify({ ...others, k: "" }).length) };
  };
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides: ofLength(65_536) })).not.toThrow();
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides: ofLength(65_537) })).toThrow(
    "configOverrides has more than 64 KiB;",
  );
});

it("refuses a string of more than 4,096 characters", () => {
  const ofLength = (length: number) => ({ ...RESULT, configOverrides: { a: ["x".repeat(length)] } });
  expect(() => refuseUnusableSettings(ofLength(4096))).not.toThrow();
  expect(() => refuseUnusableSettings(ofLength(4097))).toThrow(
    "program: configOverrides has more than 4,096 characters in one string; change",
  );
});

it.each([{ key: "body-value-0001<{%" }, { "body-value-0001": { "": 1 } }])(
  "never quotes a value or a key of configOverrides: %j",
  (configOverrides) => {
    expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).not.toThrow(/body-value-0001/);
    expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).toThrow("program: configOverrides has ");
  },
);

it("refuses what is nested too deep for the stack", () => {
  const configOverrides = JSON.parse(`${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`);
  expect(() => refuseUnusableSettings({ ...RESULT, configOverrides })).toThrow(
    "configOverrides has more than 100 levels",
  );
});
