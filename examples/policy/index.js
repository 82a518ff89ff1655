import { PolicyPack, validateResourceOfType } from "@pulumi/policy";
import { AgentLogConfig, AgentLogConfigs } from "pulumi-agent-log-config";
import { violationOf } from "./violation-of.ts";

// JavaScript, because Pulumi would compile an index.ts with an old compiler of its own. Node.js strips the types of the rest.
new PolicyPack("agent-logs", {
  policies: [
    {
      name: "size-threshold",
      description: "Agents rotate their log files before those fill the disk.",
      enforcementLevel: "mandatory",
      configSchema: { properties: { maximumMB: { type: "number", default: 1000 } } },
      // It asks isInstance of both classes, which knows the resources of programs in every language.
      validateResource: [
        validateResourceOfType(AgentLogConfig, (settings, args, report) => judge([settings], args, report)),
        validateResourceOfType(AgentLogConfigs, ({ configs }, args, report) =>
          judge(Object.values(configs), args, report),
        ),
      ],
    },
  ],
});

function judge(all, { getConfig }, report) {
  for (const settings of all) {
    const violation = violationOf(settings, getConfig().maximumMB);
    if (violation) report(violation);
  }
}
