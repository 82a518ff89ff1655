import { readFileSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { getAgentLogConfig, Provider } from "../../sdk/index.ts";
import { MONITORING } from "../client/open-client.ts";

it("is an instance of the class of every installed copy of the package, and nothing else is", async () => {
  const url = "../../sdk/model/errors.ts?another-copy";
  const { AgentLogConfigError: Theirs } = await import(/* @vite-ignore */ url);
  expect(Theirs).not.toBe(AgentLogConfigError);
  expect(new Theirs("ERR_TLS", "m")).toBeInstanceOf(AgentLogConfigError);
  expect(new Error("m")).not.toBeInstanceOf(AgentLogConfigError);
});

it("says what is known about the failure, and is printed by Pulumi without a stack trace", () => {
  const cause = new Error("c");
  const details = { cause, status: 429, errorCode: "RATE_LIMITED", retryAfterSeconds: 1 };
  const error = new AgentLogConfigError("ERR_RATE_LIMITED", "Too many.", details);
  expect(error).toMatchObject({ name: "AgentLogConfigError", temporary: true, ...details });
  expect(error.message).toMatch(/^Too many\. See https:\S+#err_rate_limited\.$/);
  expect(pulumi.RunError.isInstance(error)).toBe(true);
  expect(new AgentLogConfigError("ERR_TLS", "m")).toMatchObject({ temporary: false, status: undefined });
});

it("says its advice after the link, in the order in which it was given, and stays the same failure", () => {
  const failure = new AgentLogConfigError("ERR_TLS", "it is refused", { subject: "Can't read it", status: 403 });
  const advised = failure.withAdvice("Do this.").withAdvice("Do that.");
  expect(advised.message).toMatch(/^Can't read it: it is refused\. See https:\S+#err_tls\. Do this\. Do that\.$/);
  expect(advised).toMatchObject({ code: "ERR_TLS", status: 403 });
  expect(failure.message).toMatch(/#err_tls\.$/);
});

it("has an entry in the README for each code, which messages link to, and which says whether it is an outage", () => {
  const readme = readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8");
  const rows = readme.matchAll(/<a id="(err_\w+)"><\/a>`(ERR_\w+)` \| (.*) \|/g);
  const said = Array.from(rows, ([, anchor, code, says = ""]) => ({
    anchor,
    code,
    temporary: says.startsWith("yes |"),
  }));
  const report = readFileSync(path.resolve(import.meta.dirname, "../../tools/api/client.api.md"), "utf8");
  const [, union = ""] = /type AgentLogConfigErrorCode = ([^;]+);/.exec(report) ?? [];
  const facts = Array.from(union.matchAll(/ERR_\w+/g), ([code]) => {
    const { temporary }: AgentLogConfigError = Reflect.construct(AgentLogConfigError, [code, "It fails."]);
    return { anchor: code.toLowerCase(), code, temporary };
  });
  expect(said).toHaveLength(facts.length);
  expect(said).toEqual(expect.arrayContaining(facts));
});

it("no secret is in a Provider and a result that are printed", async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: () => ({ configOverrides: { mmsApiKey: "body-api-key-0001" } }),
  });
  const provider = new Provider("p", { privateKey: "private-key-0001", baseUrl: "https://example.com" });
  const result = await getAgentLogConfig(MONITORING, { provider });
  const seen = await new Promise((resolve) => result.configOverrides.apply(resolve));
  expect(seen).toEqual({ mmsApiKey: "body-api-key-0001" });
  const printed = [provider, result].map((value) => inspect(value, { depth: 9, showHidden: true }));
  expect([...printed, JSON.stringify(result)].join()).not.toMatch(/private-key-0001|body-api-key-0001/);
});
