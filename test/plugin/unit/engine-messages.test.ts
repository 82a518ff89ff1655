import { expect, it } from "vitest";
import { nameInUrn, typeInUrn } from "../../../sdk/plugin/engine-messages.ts";

it("takes all after the third pair of colons for the name, as the engine does", () => {
  const fleet = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::my::fleet";
  expect(nameInUrn(fleet)).toBe("my::fleet");
  const child = "urn:pulumi:dev::p::test:index:Component$agent-log-config:index:AgentLogConfig::my::child";
  expect(nameInUrn(child)).toBe("my::child");
  expect(typeInUrn(child)).toBe("agent-log-config:index:AgentLogConfig");
});
