import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigs } from "pulumi-agent-log-config";

const projectIds = new pulumi.Config().requireObject<string[]>("projectIds");

// One record for each agent of each project.
new AgentLogConfigs("fleet", { projectIds });
