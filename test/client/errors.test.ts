import { readFileSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { CODES } from "../../sdk/client/errors.ts";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { getAgentLogConfig, Provider } from "../../sdk/index.ts";

it("is an instance of the class of every installed copy of the package, and nothing else is", async () => {
  const url = "../../sdk/client/errors.ts?another-copy";
  const { AgentLogConfigError: Theirs } = await import(/* @vite-ignore */ url);
  expect(Theirs).not.toBe(AgentLogConfigError);
  expect(new Theirs("ERR_TLS", "m")).toBeInstanceOf(AgentLogConfigError);
  expect(new Error("m")).not.toBeInstanceOf(AgentLogConfigError);
});

describe("an error", () => {
  it("says what is known about the failure, and is printed by Pulumi without a stack trace", () => {
    const cause = new Error("c");
    const details = { cause, status: 429, errorCode: "RATE_LIMITED", retryAfterSeconds: 1 };
    const error = new AgentLogConfigError("ERR_RATE_LIMITED", "Too many.", details);
    expect(error).toMatchObject({ name: "AgentLogConfigError", temporary: true, ...details });
    expect(error.message).toMatch(/^Too many\. See https:\S+#err_rate_limited\.$/);
    expect(pulumi.RunError.isInstance(error)).toBe(true);
    expect(new AgentLogConfigError("ERR_TLS", "m")).toMatchObject({ temporary: false, status: undefined });
  });
});

describe("the README", () => {
  const readme = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");
  const source = readFileSync(path.resolve(import.meta.dirname, "../../sdk/client/errors.ts"), "utf8");
  const codes = new Set(source.match(/ERR_[A-Z_]+/g));

  it.each([...codes])("has an entry for %s, which messages link to", (code) => {
    expect(readme).toContain(`<a id="${code.toLowerCase()}"></a>\`${code}\``);
  });

  it("says of each error whether it is an outage", () => {
    const rows = Array.from(readme.matchAll(/<\/a>`(ERR_\w+)` \| (.*) \|/g), ([, code = "", says = ""]) => [
      code,
      says,
    ]);
    const said = rows.filter(([, says]) => says?.includes("; an outage")).map(([code]) => code);
    expect(said.toSorted()).toEqual(
      Object.entries(CODES)
        .flatMap(([code, { temporary }]) => (temporary ? code : []))
        .toSorted(),
    );
  });
});

describe("what is printed", () => {
  const PROJECT_ID = "0123456789abcdef01234567";
  const SECRET = /private-key-0001|body-api-key-0001/;

  it("of a Provider and of a result shows no secret", async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: () => ({ configOverrides: { mmsApiKey: "body-api-key-0001" } }),
    });
    const provider = new Provider("p", { privateKey: "private-key-0001", baseUrl: "https://example.com" });
    const result = await getAgentLogConfig({ projectId: PROJECT_ID, agent: "backup" }, { provider });
    const seen = await new Promise((resolve) => result.configOverrides.apply(resolve));
    expect(seen).toEqual({ mmsApiKey: "body-api-key-0001" });
    for (const value of [provider, result]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toMatch(SECRET);
    }
    expect(JSON.stringify(result)).not.toMatch(SECRET);
  });
});
