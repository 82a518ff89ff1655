import * as pulumi from "@pulumi/pulumi";
import { getAgentLogConfigOutput } from "pulumi-agent-log-config";

const { logPath } = getAgentLogConfigOutput({ projectId: new pulumi.Config().require("projectId"), agent: "backup" });
new pulumi.Stash("first", { input: logPath });
new pulumi.Stash("second", { input: logPath });
