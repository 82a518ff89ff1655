import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs } from "pulumi-agent-log-config";

// One resource whose record an option or a transform could make untrue. A test configures which.
const config = new pulumi.Config();
const args = config.requireObject<AgentLogConfigArgs & { projectId: string; agent: "monitoring" | "backup" }>("args");
const other = config.getObject<{ projectId: string; agent: string }>("other");

function record(opts?: pulumi.CustomResourceOptions): pulumi.Output<string | undefined> {
  return new AgentLogConfig("settings", args, opts).logPath;
}

const variants: Readonly<Record<string, () => pulumi.Output<string | undefined>>> = {
  plain: () => record(config.getObject<pulumi.CustomResourceOptions>("options")),
  "a transformation": () =>
    record({ transformations: [({ props, opts }) => ({ props: { ...props, ...other }, opts })] }),
  "an asynchronous transform": () =>
    record({ transforms: [async ({ props, opts }) => ({ props: { ...props, ...other }, opts })] }),
  adopted: () => AgentLogConfig.get("settings", `${args.projectId}/${args.agent}`).logPath,
};

export const result = variants[config.require("variant")]?.();
