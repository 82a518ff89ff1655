import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

const config = new pulumi.Config();
const projectId = config.require("projectId");
const windows = config.requireBoolean("windows");
const folder = config.require("folder");

const logs = pulumi.all([logOf("monitoring"), logOf("backup")]).apply((all) => all.flat());

/** Fluent Bit reads YAML, and JSON is YAML. */
export const fluentBit = pulumi.jsonStringify({
  service: { "storage.path": windows ? "C:\\ProgramData\\fluent-bit" : "/var/lib/fluent-bit" },
  pipeline: {
    inputs: logs.apply((all) => all.map(({ input }) => input)),
    outputs: logs.apply((all) => all.map(({ output }) => output)),
  },
});

/** Rules for Prometheus, which reads YAML, too. */
export const alarms = pulumi.jsonStringify({
  groups: [{ name: "agent-logs", rules: logs.apply((all) => all.flatMap(({ rules }) => rules)) }],
});

// They stand for what takes the texts, such as a ConfigMap: previews show what changes in them.
new pulumi.Stash("fluent-bit.yaml", { input: fluentBit });
new pulumi.Stash("alarms.yaml", { input: alarms });

/** How the log of one agent is shipped and watched; empty where the agent writes no file. */
function logOf(agent: "monitoring" | "backup") {
  const { logPath, logPathWindows, logRotate } = new AgentLogConfig(agent, { projectId, agent });
  return pulumi
    .all([windows ? logPathWindows : logPath, logRotate])
    .apply(([path, { sizeThresholdMB, timeThresholdHrs }]) => {
      if (path === undefined) {
        pulumi.log.warn(`The ${agent} agent writes to standard error: collect that where its service runs.`);
        return [];
      }
      if (!isInFolder(path)) {
        throw new pulumi.RunError(
          `The ${agent} agent's log is not a file in ${folder}: change its path in the service.`,
        );
      }
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
      return [{ input, output, rules: sizeThresholdMB === undefined ? [] : [ruleOf(agent, path, sizeThresholdMB)] }];
    });
}

/**
 * Every member of the project may set the path, and Fluent Bit ships each file that matches it: this one is a single name in
 * the folder, without patterns, variables and other folders.
 */
function isInFolder(path: string): boolean {
  const start = windows ? `${folder}\\` : `${folder}/`;
  return path.startsWith(start) && /^\w[\w.-]*$/.test(path.slice(start.length));
}

/** An alarm for a log that is 50 % above the agent's threshold. */
function ruleOf(agent: string, path: string, sizeThresholdMB: number) {
  const file = JSON.stringify(path.replace("%SystemDrive%", "C:"));
  return {
    alert: "AgentLogIsNotRotated",
    expr: `file_stat_size_bytes{path=${file}} > ${sizeThresholdMB * 1.5e6}`,
    for: "15m",
    labels: { agent },
  };
}
