import * as pulumi from "@pulumi/pulumi";
import {
  AgentLogConfig,
  type AgentLogConfigArgs,
  AgentLogConfigs,
  type AgentLogConfigsArgs,
  Provider,
  type ProviderArgs,
} from "pulumi-agent-log-config";

// Resources and fleets of several services, of which some come late, and some wait for a resource that takes long.
interface Asked {
  readonly args: AgentLogConfigArgs;
  readonly service?: string;
  readonly lateSeconds?: number;
  readonly isBehind?: boolean;
}
interface AskedFleet {
  readonly args: AgentLogConfigsArgs;
  /** What is known of its projects late. */
  readonly late?: Pick<AgentLogConfigsArgs, "projectIds" | "projects">;
  readonly service?: string;
  readonly ignoreChanges?: string[];
  /** Another resource depends on the fleet. */
  readonly isConsumed?: boolean;
  /** What is expected beside a user name that is not known yet. */
  readonly expectsUnknown?: { readonly logPath: string };
}
const config = new pulumi.Config();
const services = Object.entries(config.getObject<Record<string, ProviderArgs>>("services") ?? {});
const providers = new Map(services.map(([name, args]) => [name, new Provider(name, args)]));
const optionsOf = (service: string | undefined) => {
  const provider = providers.get(service ?? "");
  return provider === undefined ? {} : { provider };
};

/** A resource of the program's own that takes 3 s to be created. */
class Slow extends pulumi.CustomResource {
  constructor() {
    super("pulumi-nodejs:dynamic:Resource", "slow", { input: config.get("input"), __provider: SLOW });
  }
}

const SLOW = `exports.handler = () => {
const wait = () => new Promise((resolve) => setTimeout(resolve, 3000));
return {
  create: async (inputs) => (await wait(), { id: "slow", outs: inputs }),
  update: async (id, olds, inputs) => (await wait(), { outs: inputs }),
};
};`;

const asked = Object.entries(config.getObject<Record<string, Asked>>("resources") ?? {});
const slow = asked.some(([, { isBehind }]) => isBehind) ? new Slow() : undefined;
for (const [name, { args, service, lateSeconds, isBehind }] of asked) {
  const late = new Promise((resolve) => setTimeout(resolve, (lateSeconds ?? 0) * 1000));
  const waiting = pulumi.all([args.projectId, late.then(() => "")]).apply(([id]) => id);
  const projectId = lateSeconds === undefined ? args.projectId : waiting;
  const dependsOn = isBehind && slow !== undefined ? { dependsOn: slow } : {};
  new AgentLogConfig(name, { ...args, projectId }, { ...optionsOf(service), ...dependsOn });
}

/** Gives the children of a component an option that the component does not have. */
const ignoring = (ignoreChanges: string[]): pulumi.ResourceTransformation => {
  return ({ type, props, opts }) =>
    type.endsWith(":AgentLogConfig") ? { props, opts: { ...opts, ignoreChanges } } : undefined;
};

const outputsOf = ({ projectIds, projects }: NonNullable<AskedFleet["late"]>) => ({
  ...(projectIds === undefined ? {} : { projectIds: pulumi.output(projectIds) }),
  ...(projects === undefined ? {} : { projects: pulumi.output(projects) }),
});

const fleets = Object.entries(config.getObject<Record<string, AskedFleet>>("fleets") ?? {});
export const configs = Object.fromEntries(
  fleets.map(([name, { args, service, ignoreChanges = [], isConsumed, expectsUnknown, late }]) => {
    // In a preview the id of what is to be created is unknown.
    const unknown = expectsUnknown ? { username: new pulumi.Stash("unknown", { input: 1 }).id } : undefined;
    const expect = unknown === undefined ? {} : { expect: { ...expectsUnknown, ...unknown } };
    const transformations = [ignoring(ignoreChanges)];
    const eventual = late === undefined ? args : { ...args, ...outputsOf(late) };
    const fleet = new AgentLogConfigs(name, { ...eventual, ...expect }, { ...optionsOf(service), transformations });
    if (isConsumed) new pulumi.Stash("consumer", { input: 1 }, { dependsOn: fleet });
    return [name, fleet.configs.apply((all) => all.map(({ logPath }) => logPath))];
  }),
);
