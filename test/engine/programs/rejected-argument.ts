import * as pulumi from "@pulumi/pulumi";
import { getAgentLogConfigOutput } from "pulumi-agent-log-config";

const projectId = pulumi.output(Promise.reject<string>(new pulumi.RunError("no such project")));
const { logPath } = getAgentLogConfigOutput({ projectId, agent: "backup" });
new pulumi.Stash("consumer", { input: logPath });
