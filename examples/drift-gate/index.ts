import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfigs } from "pulumi-agent-log-config";

const projects = new pulumi.Config().requireObject<Record<string, string>>("projects");

// One record of all agents of all projects.
new AgentLogConfigs("fleet", { projects });
