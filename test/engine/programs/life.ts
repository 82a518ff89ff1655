import * as pulumi from "@pulumi/pulumi";
import { AgentLogConfig, type AgentLogConfigArgs, AgentLogConfigs, Provider } from "pulumi-agent-log-config";

// A resource; one in a component that waits for something else, and one of the same name in another component, whose provider
// a transform sets; one in a component that waits for the first; a fleet of one project; and a resource of the plugin.
type Rules = Pick<AgentLogConfigArgs, "expect" | "whenUnexpected" | "whenUnavailable">;
interface Asked {
  readonly rules: Rules;
  readonly options: pulumi.CustomResourceOptions;
  /** A transform adds the rules and the options. */
  readonly isTransformed: boolean;
}
type Name = "plain" | "grouped" | "twin" | "after" | "fleet" | "foreign";
const config = new pulumi.Config();
const asked = config.requireObject<Record<Name, Asked>>("resources");
const what = { projectId: config.require("projectId"), agent: "monitoring" } as const;

class Group extends pulumi.ComponentResource {
  constructor(type: "Group" | "OtherGroup", name: string, dependsOn: pulumi.Resource) {
    super(`test:index:${type}`, name, {}, { dependsOn });
  }
}

function make(name: string, { rules, options, isTransformed }: Asked, others: pulumi.CustomResourceOptions = {}) {
  const adding: pulumi.ResourceTransform = async ({ props, opts }) => ({
    props: { ...props, ...rules },
    opts: { ...opts, ...options },
  });
  return isTransformed
    ? new AgentLogConfig(name, what, { ...others, transforms: [adding] })
    : new AgentLogConfig(name, { ...what, ...rules }, { ...others, ...options });
}

const other = new pulumi.Stash("other", { input: "exists" });
const plain = make("plain", asked.plain);
make("same", asked.grouped, { parent: new Group("Group", "group", other) });
make("after", asked.after, { parent: new Group("Group", "later", plain) });

const provider = new Provider("elsewhere", { baseUrl: config.require("otherBaseUrl") });
make("same", asked.twin, {
  parent: new Group("OtherGroup", "other-group", other),
  transforms: [async ({ props, opts }) => ({ props, opts: { ...opts, provider } })],
});

const { rules, options } = asked.fleet;
const ignoring: pulumi.ResourceTransformation = ({ type, props, opts }) =>
  type.endsWith(":AgentLogConfig") ? { props, opts: { ...opts, ...options } } : undefined;
const fleetArgs = { projectIds: [what.projectId], agents: [what.agent], ...rules };
new AgentLogConfigs("fleet", fleetArgs, { transformations: [ignoring] });

class Foreign extends pulumi.CustomResource {}
new Foreign(
  "agent-log-config:index:AgentLogConfig",
  "foreign",
  { ...what, ...asked.foreign.rules },
  asked.foreign.options,
);
