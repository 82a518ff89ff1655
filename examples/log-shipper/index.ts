import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const windows = config.requireBoolean("windows");

const pipelines = pulumi.all([pipelineOf("monitoring"), pipelineOf("backup")]).apply((all) => all.flat());

/** Fluent Bit reads YAML, and JSON is YAML. */
export const fluentBit = pulumi.jsonStringify({
  service: { "storage.path": windows ? "C:\\ProgramData\\fluent-bit" : "/var/lib/fluent-bit" },
  pipeline: {
    inputs: pipelines.apply((all) => all.map(({ input }) => input)),
    outputs: pipelines.apply((all) => all.map(({ output }) => output)),
  },
});

// Stands for what takes the text, such as a ConfigMap: previews show what changes in it.
new pulumi.Stash("fluent-bit.yaml", { input: fluentBit });

/** How the log of one agent is shipped; empty where the agent writes no file. */
function pipelineOf(agent: "monitoring" | "backup") {
  const { logPath, logPathWindows, logRotate } = new AgentLogConfig(agent, { projectId, agent });
  return pulumi.all([windows ? logPathWindows : logPath, logRotate]).apply(([path, thresholds]) => {
    if (path === undefined) {
      pulumi.log.warn(`The ${agent} agent writes to standard error: collect that where its service runs.`);
      return [];
    }
    const { sizeThresholdMB, timeThresholdHrs } = thresholds ?? {};
    const input = {
      name: "tail",
      tag: `agent.${agent}`,
      // Fluent Bit writes %SystemDrive% as ${SystemDrive}.
      path: path.replace(/%(\w+)%/g, (_, variable) => `\${${variable}}`),
      "storage.type": "filesystem",
      // A file older than that is the leftover of an agent that is gone.
      ...(timeThresholdHrs === undefined ? {} : { ignore_older: `${Math.ceil(timeThresholdHrs)}h` }),
    };
    const output = {
      name: "http",
      match: `agent.${agent}`,
      host: "logs.example.com",
      tls: "on",
      // While the host is away, one whole log file is buffered.
      ...(sizeThresholdMB === undefined ? {} : { "storage.total_limit_size": `${Math.ceil(sizeThresholdMB)}M` }),
    };
    return [{ input, output }];
  });
}
