import * as pulumi from "@pulumi/pulumi";
import {
  AgentLogConfig,
  type AgentLogConfigArgs,
  AgentLogConfigs,
  type AgentLogConfigsArgs,
  getAgentLogConfigOutput,
  Provider,
  type ProviderArgs,
} from "pulumi-agent-log-config";

// Resources and fleets of several services, of which some come late, beside a chain of resources that take long.
interface Asked {
  readonly args: AgentLogConfigArgs;
  readonly service?: string;
  readonly lateSeconds?: number;
  readonly ignoreChanges?: string[];
  /** The service whose provider a transform sets. */
  readonly movedTo?: string;
}
interface AskedFleet {
  readonly args: AgentLogConfigsArgs;
  readonly service?: string;
  readonly ignoreChanges?: string[];
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

/** A resource of the program's own that takes a second to be created. */
class Slow extends pulumi.CustomResource {
  constructor(name: string, dependsOn: pulumi.Resource[]) {
    super("pulumi-nodejs:dynamic:Resource", name, { __provider: SLOW }, { dependsOn });
  }
}

const SLOW = `exports.handler = () => {
const wait = () => new Promise((resolve) => setTimeout(resolve, 1000));
return {
  create: async (inputs) => (await wait(), { id: "slow", outs: inputs }),
};
};`;

const succeed = () => {
  process.exitCode = 0;
};
/** How a program may end itself, whatever has failed. */
const endings: Readonly<Record<string, () => void>> = {
  "process.exit(0)": () => process.once("beforeExit", () => process.exit(0)),
  "process.exitCode = 0": () => process.once("beforeExit", succeed),
  "process.exitCode = 0, again and again": () => process.on("beforeExit", succeed),
  "process.exitCode = 0, at its exit": () => process.on("exit", succeed),
  "process.exit(7)": () => process.once("beforeExit", () => process.exit(7)),
};
endings[config.get("ending") ?? ""]?.();

const asked = Object.entries(config.getObject<Record<string, Asked>>("resources") ?? {});
for (let index = 0, before: pulumi.Resource[] = []; index < (config.getNumber("chain") ?? 0); index += 1) {
  before = [new Slow(`slow-${index}`, before)];
}

/** Adds rules that the program does not write. */
const adding: pulumi.ResourceTransform = async ({ props, opts }) => ({
  props: { ...props, whenUnavailable: "useRecorded", whenUnexpected: "warn", expect: { logPath: "/added" } },
  opts,
});
const transforms = config.getBoolean("adds") ? { transforms: [adding] } : {};
const moving = (service: string): pulumi.ResourceTransform => {
  return async ({ props, opts }) => ({ props, opts: { ...opts, ...optionsOf(service) } });
};
for (const [name, { args, service, lateSeconds, ignoreChanges = [], movedTo }] of asked) {
  const late = new Promise((resolve) => setTimeout(resolve, (lateSeconds ?? 0) * 1000));
  const waiting = pulumi.all([args.projectId, late.then(() => "")]).apply(([id]) => id);
  const projectId = lateSeconds === undefined ? args.projectId : waiting;
  const moved = movedTo === undefined ? {} : { transforms: [moving(movedTo)] };
  const options = { ...optionsOf(service), ...transforms, ...moved, ignoreChanges };
  const { urn } = new AgentLogConfig(name, { ...args, projectId }, options);
  if (config.get("ending") === `process.exit(0) at ${name}`) urn.apply(() => process.exit(0));
}

const calls = config.get("calls");
const called = calls === undefined ? undefined : getAgentLogConfigOutput({ projectId: calls, agent: "monitoring" });
export const paths =
  called === undefined ? undefined : [new pulumi.Stash("other", { input: 1 }).output, called.logPath];

const fleets = Object.entries(config.getObject<Record<string, AskedFleet>>("fleets") ?? {});
export const configs = Object.fromEntries(
  fleets.map(([name, { args, service, ignoreChanges = [], expectsUnknown }]) => {
    // In a preview the id of what is to be created is unknown.
    const unknown = expectsUnknown ? { username: new pulumi.Stash("unknown", { input: 1 }).id } : undefined;
    const expect = unknown === undefined ? {} : { expect: { ...expectsUnknown, ...unknown } };
    const fleet = new AgentLogConfigs(name, { ...args, ...expect }, { ...optionsOf(service), ignoreChanges });
    return [name, fleet.configs.apply((all) => Object.values(all).map(({ logPath }) => logPath))];
  }),
);
