import { createServer } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

// A program that keeps something open, as a tunnel, until a resource is registered that fails.
const server = createServer().listen(0);
const agent = "monitoring";
const config = new pulumi.Config();
const bad = new AgentLogConfig("bad", { projectId: config.require("gone"), agent });
bad.urn.apply(() => server.close());

new AgentLogConfig("slow", { projectId: config.require("slow"), agent });
