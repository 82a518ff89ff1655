import { afterEach, describe, expect, it, vi } from "vitest";
import {
  configurationWarnings,
  environment,
  lookUpConnection,
  lookUpSetting,
  providerArguments,
  stackConfiguration,
} from "../../sdk/reading/connection-settings.ts";
import { openClient } from "../../sdk/reading/open-client.ts";

afterEach(() => void vi.unstubAllEnvs());

const REQUIRED = { baseUrl: "https://example.com", publicKey: "publickey", privateKey: "private-key-0001" };

describe("a setting", () => {
  it.each([
    ["a", "k", "v", ["a", "argument", "the argument caCertificate of the Provider 'west'"]],
    ["", "k", "v", ["k", "stack", "the configuration key agent-log-config:caCertificate"]],
    ["", "", "v", ["v", "environment", "the environment variable AGENT_LOG_CONFIG_CA_CERTIFICATE"]],
    ["", undefined, "", []],
  ])("is taken from the first place that has it: %s, %s, %s", (argument, key, variable, expected) => {
    vi.stubEnv("AGENT_LOG_CONFIG_CA_CERTIFICATE", variable);
    const configuration = (name: string) => (name === "agent-log-config:caCertificate" ? key : undefined);
    const sources = [providerArguments("west", { caCertificate: argument }), stackConfiguration(configuration)];
    const { text, source, place } = lookUpSetting("caCertificate", [...sources, environment()]) ?? {};
    expect([text, source, place].filter(Boolean)).toEqual(expected);
  });
});

describe("a connection", () => {
  it("says where missing settings can be put", () => {
    expect(() => openClient(found({}))).toThrow(
      "Connection settings are missing: baseUrl, publicKey, privateKey. Pass them to a Provider, or set them in the stack (`pulumi config set agent-log-config:baseUrl`, `pulumi config set agent-log-config:publicKey`, `pulumi config set --secret agent-log-config:privateKey`) or in the environment (AGENT_LOG_CONFIG_BASE_URL, AGENT_LOG_CONFIG_PUBLIC_KEY, AGENT_LOG_CONFIG_PRIVATE_KEY).",
    );
  });

  it.each(['{"nested":"x"}', '["x"]'])("refuses a setting that is a map or a list: %s", (text) => {
    for (const [name, says] of Object.entries({
      baseUrl: "is not a URL with a scheme and a host;",
      publicKey: "is a map or a list; set it to one value.",
      privateKey: "is a map or a list; set it to one value.",
      caCertificate: "is neither PEM text nor the path of a file",
      maxRetries: "must be a whole number from 0 to 10.",
    })) {
      expect(() => openClient(found({ ...REQUIRED, [name]: text }))).toThrow(
        `The connection can't be used: ${name} (the configuration key agent-log-config:${name}) ${says}`,
      );
    }
    const args = providerArguments("west", { ...REQUIRED, publicKey: JSON.parse(text) });
    expect(() => openClient(lookUpConnection(args))).toThrow("of the Provider 'west') is a map or a list");
  });

  it("says where a setting is from that it refuses", () => {
    expect(() => openClient(found({ ...REQUIRED, allowHttp: "yes" }))).toThrow(
      "allowHttp (the configuration key agent-log-config:allowHttp) must be",
    );
  });
});

it("shows nothing of a misspelt key that a terminal would obey, and little of many", () => {
  const keys = ["x\u001b[2J", "y<{%reset%}>", ...Array.from({ length: 1000 }, (_, index) => `z${index}`)];
  const configuration = Object.fromEntries(keys.map((key) => [`agent-log-config:${key}`, "1"]));
  const [warning = ""] = configurationWarnings(configuration, () => true);
  expect(warning).toContain("unknown settings: agent-log-config:x\uFFFD[2J, agent-log-config:y<\uFFFD%reset");
  expect(warning).not.toMatch(/\p{Cc}|<\{%/u);
  expect(warning.length).toBeLessThan(600);
});

it("shows nothing of the name of a Provider that a terminal would obey", () => {
  const source = providerArguments("west\u009B2J", { baseUrl: "https://example.com" });
  expect(source("baseUrl")?.place).toBe("the argument baseUrl of the Provider 'west\uFFFD2J'");
});

it.each([
  ["stack", "`pulumi config set agent-log-config:allowHttp true`"],
  ["environment", "AGENT_LOG_CONFIG_ALLOW_HTTP=true"],
  ["argument", "the argument allowHttp of the same Provider"],
] as const)("says how to allow http where the address is from this source: %s", (source, how) => {
  const settings = { ...found(REQUIRED), baseUrl: { text: "http://example.com", source, place: "any place" } };
  expect(() => openClient(settings)).toThrow(`use https, or set allowHttp (${how}) if you trust the network.`);
});

function found(texts: Readonly<Record<string, string>>) {
  return lookUpConnection(stackConfiguration((key) => texts[key.replace("agent-log-config:", "")]));
}
