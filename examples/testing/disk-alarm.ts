import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig } from "pulumi-agent-log-config";

/** An alarm for when a project's monitoring agent has not rotated its log. */
export class DiskAlarm extends pulumi.ComponentResource {
  /** Half as much again as the agent's own threshold, which is taken as 1000 MB where it has none. */
  readonly limitMB: pulumi.Output<number>;

  constructor(
    name: string,
    { projectId }: { projectId: pulumi.Input<string> },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("examples:index:DiskAlarm", name, {}, opts);
    const { logPath, logRotate } = new AgentLogConfig(name, { projectId, agent: "monitoring" }, { parent: this });
    this.limitMB = logRotate.apply(({ sizeThresholdMB = 1000 }) => sizeThresholdMB * 1.5);
    // Stands for the alarm of a monitoring provider.
    new pulumi.Stash(name, { input: { path: logPath, limitMB: this.limitMB } }, { parent: this });
    this.registerOutputs({ limitMB: this.limitMB });
  }
}
