import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

const projectId = new pulumi.Config().require("projectId");

new AgentLogConfig("monitoring", { projectId, agent: "monitoring" });
new AgentLogConfig("backup", { projectId, agent: "backup" });
