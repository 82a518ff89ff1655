import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";
import { readValues } from "./read-values.ts";

const projectId = new pulumi.Config().require("projectId");
const declared = readValues();

for (const agent of ["monitoring", "backup"] as const) {
  new AgentLogConfig(agent, { projectId, agent, expect: declared[agent] });
}
