import { PolicyPack } from "@pulumi/policy";
import { violationOf } from "./violation-of.ts";

// JavaScript, since Pulumi would compile an index.ts with an old compiler of its own. Node.js strips the types of the rest.
new PolicyPack("agent-logs", {
  policies: [
    {
      name: "size-threshold",
      description: "Agents rotate their log files before those fill the disk.",
      enforcementLevel: "mandatory",
      configSchema: { properties: { maximumMB: { type: "number", default: 1000 } } },
      validateResource: ({ type, props, getConfig }, report) => {
        if (type !== "pulumi-nodejs:dynamic/agent-log-config:AgentLogConfig") return;
        const violation = violationOf(props, getConfig().maximumMB);
        if (violation) report(violation);
      },
    },
  ],
});
