import * as pulumi from "@pulumi/pulumi";
import { getAgentLogConfig } from "pulumi-agent-log-config";

const read = getAgentLogConfig({ projectId: new pulumi.Config().require("projectId"), agent: "backup" });
const logPath = read.then((settings) => settings.logPath);
for (const name of ["first", "second"]) new pulumi.Stash(name, { input: logPath });
