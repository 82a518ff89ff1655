import { expect, it } from "vitest";
import { childUrn, nameInUrn, typeInUrn } from "../../../sdk/plugin/engine-messages.ts";

it("takes all after the third pair of colons for the name, as the engine does", () => {
  const fleet = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::my::fleet";
  const child =
    "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs$agent-log-config:index:AgentLogConfig::my::fleet-a-backup";
  expect(nameInUrn(fleet)).toBe("my::fleet");
  expect(childUrn(fleet, "agent-log-config:index:AgentLogConfig", "my::fleet-a-backup")).toBe(child);
  expect(typeInUrn(child)).toBe("agent-log-config:index:AgentLogConfig");
});
