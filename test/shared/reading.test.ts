import { describe, expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { stackConfiguration } from "../../sdk/shared/connection-settings.ts";
import { belongsTo, fingerprintsOf, problemOf, type Reading } from "../../sdk/shared/reading.ts";

const BASE_URL = { text: "https://example.com", source: "argument", place: "an argument of the Provider" } as const;
const PUBLIC_KEY = { text: "publickey", source: "argument", place: "an argument of the Provider" } as const;

const READING: Reading = {
  projectId: "0123456789abcdef01234567",
  agent: "monitoring",
  fingerprints: fingerprintsOf({ baseUrl: BASE_URL, publicKey: PUBLIC_KEY }),
  problem: null,
  secrets: [],
  ignored: [],
  name: "r",
  isPreview: true,
  report: [],
};

describe("a reading", () => {
  it("does not show the connection in clear, which may be a secret of the stack", () => {
    expect(JSON.stringify(READING)).not.toMatch(/example\.com|publickey/);
  });

  it.each([
    {
      description: "the same connection",
      configuration: { baseUrl: BASE_URL.text, publicKey: PUBLIC_KEY.text },
      is: true,
    },
    { description: "a connection that is set in the environment", configuration: {}, is: true },
    { description: "a public key that is set in the environment", configuration: { baseUrl: BASE_URL.text }, is: true },
    { description: "another address", configuration: { baseUrl: "https://west.example.com" }, is: false },
    { description: "another key", configuration: { baseUrl: BASE_URL.text, publicKey: "other" }, is: false },
  ])("belongs to a resource by its connection: $description", ({ configuration, is }) => {
    const keys: Readonly<Record<string, string>> = Object.fromEntries(
      Object.entries(configuration).map(([name, text]) => [`agent-log-config:${name}`, text]),
    );
    const sources = [stackConfiguration((key) => keys[key])];
    expect(belongsTo(READING, { projectId: READING.projectId, agent: READING.agent }, sources)).toBe(is);
  });
});

describe("a problem", () => {
  it.each([
    ["ERR_UNAVAILABLE", true],
    ["ERR_CONNECTION", true],
    ["ERR_WRONG_KEY", false],
  ] as const)("of the code %s is an outage: %s", (code, temporary) => {
    const error = new AgentLogConfigError(code, "It failed.");
    expect(problemOf(error)).toMatchObject({ code, message: error.message, temporary });
  });

  it.each([
    ["another error", new Error("no route"), "no route"],
    ["a value that is not an error", "no route", "no route"],
  ])("may be %s", (_, thrown, message) => {
    expect(problemOf(thrown)).toMatchObject({ code: "ERR_UNKNOWN", message, temporary: false });
  });

  const gone = (id: string) =>
    serviceError(404, { errorCode: "GROUP_NOT_FOUND", detail: `No group with ID ${id} exists.` }, `Can't read ${id}`);
  const invalid = (why: string) => new AgentLogConfigError("ERR_INVALID_RESPONSE", why, { subject: "Can't read it" });
  it.each([
    ["two projects that are gone", gone("0123456789abcdef01234567"), gone("89abcdef0123456789abcdef"), true],
    ["two outages that end at different times", busy(3), busy(70), true],
    ["two codes", gone("0123456789abcdef01234567"), invalid("there is no such project; check projectId"), false],
    ["two settings", invalid("logPath must be a string"), invalid("username must be a string"), false],
    [
      "two values with the id of another project",
      invalid(`it is ${"0".repeat(24)}`),
      invalid(`it is ${"1".repeat(24)}`),
      false,
    ],
    ["paths that name an agent", invalid("it is /var/log/monitoring"), invalid("it is /var/log/backup"), false],
    ["errors that are not known", new Error("One."), new Error("Two."), false],
  ])("of one and of the other of %s has one cause: %4$s", (_, one, other, isAlike) => {
    expect(problemOf(one).cause === problemOf(other).cause).toBe(isAlike);
  });
});

function busy(retryAfterSeconds: number): AgentLogConfigError {
  return serviceError(503, { detail: `Come back in ${retryAfterSeconds} s.` }, "Can't read it", { retryAfterSeconds });
}
