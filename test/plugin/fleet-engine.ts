import { constructFleet, type FleetHost, type ReadAhead } from "../../sdk/plugin/construct-fleet.ts";
import { withoutMarks } from "../../sdk/plugin/property-marks.ts";
import * as lifecycle from "../../sdk/provider/resource-lifecycle.ts";
import type { Failure } from "../../sdk/shared/group-failures.ts";
import { readFleet } from "../../sdk/shared/read-fleet.ts";
import { fingerprintsOf } from "../../sdk/shared/reading.ts";
import { recordSettings } from "../../sdk/shared/recorded-settings.ts";

type Properties = lifecycle.Properties;
type Op = "create" | "update" | "same";

/** A child in the state. */
interface FleetRecord {
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** What one run of a fleet has shown. */
export interface FleetRun {
  readonly failure: string | undefined;
  readonly warnings: readonly string[];
  /** The output `configs`; undefined where the run has failed. */
  readonly configs: unknown;
  /** The name of each child that was registered, and what becomes of it. */
  readonly steps: Readonly<Record<string, Op>>;
}

const FLEET = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";

/** Why the engine does not record a child. */
class Refusal extends Error {
  readonly why: Failure;

  constructor(why: Failure) {
    super(why.sentence);
    this.why = why;
  }
}

/** What the engine does with a fleet: it registers the children, and keeps their records. */
export class FleetEngine {
  /** The records by the names of the children. */
  records: ReadonlyMap<string, FleetRecord> = new Map();
  /** What was sent for each child in the last run. */
  readonly registered = new Map<string, Properties>();
  readonly #read: FleetHost["read"];

  constructor(read: FleetHost["read"]) {
    this.#read = read;
  }

  /** Runs a program whose fleet is the plugin's. */
  async upByPlugin(args: Properties): Promise<FleetRun> {
    const readsAhead = new Map<string, ReadAhead>();
    return this.#up((warnings, register) => {
      const registerChild = async (parent: string, name: string, sent: Properties) => {
        const ahead = readsAhead.get(
          `${parent.replace(/::fleet$/, "")}$agent-log-config:index:AgentLogConfig::${name}`,
        );
        try {
          return await register(name, sent, () => ahead?.read);
        } catch (error) {
          if (error instanceof Refusal) ahead?.refuse(error.why);
          // The engine ends its work before it answers.
          return new Promise<never>(() => {});
        }
      };
      const monitor = { registerComponent: async () => FLEET, registerChild, registerOutputs: async () => {} };
      return constructFleet("fleet", args, monitor, {
        read: this.#read,
        readsAhead,
        warn: (_, message) => void warnings.push(message),
        during: (read) => read(),
        fail: async (_, why) => {
          throw new Error(why.sentence);
        },
      }).then(({ outputs }) => outputs["configs"]);
    });
  }

  /** Runs a program in TypeScript, whose children travel with what was read. */
  async upByPackage(args: Properties): Promise<FleetRun> {
    return this.#up(async (warnings, register) => {
      const { members, report } = await readFleet(this.#read, args, []);
      const made = members.map(async ({ id, projectId, agent, read, outage }) => {
        const settings = outage === undefined ? await read : {};
        const marks = { connection: fingerprintsOf({}), secrets: [], ignored: [], others: [] };
        const reading = { projectId, agent, problem: outage ?? null, ...marks };
        const sent = { projectId, agent, whenUnavailable: args["whenUnavailable"], ...recordSettings(settings) };
        const recorded = await register(`fleet-${projectId}-${agent}`, { ...sent, __reading: reading });
        if (outage !== undefined) report.useRecord(id, recorded, recorded["lastReadAt"], outage.message);
        return { id, ...recorded };
      });
      const configs = await Promise.all(made);
      warnings.push(...report.warnings);
      if (report.failure !== undefined) throw new Error(report.failure);
      return configs;
    });
  }

  async #up(run: (warnings: string[], register: Register) => Promise<unknown>): Promise<FleetRun> {
    this.registered.clear();
    const [warnings, steps, records]: [string[], Record<string, Op>, Map<string, FleetRecord>] = [
      [],
      {},
      new Map(this.records),
    ];
    const register: Register = async (name, sent, readAhead) => {
      this.registered.set(name, sent);
      const warn = (message: string) => void warnings.push(message);
      const engine = { sources: [], warn, toldOutages: new Map(), ...(readAhead && { readAhead }) };
      const old = records.get(name);
      const { inputs, failures, malformed } = await lifecycle.check(engine, old?.inputs ?? {}, withoutMarks(sent), []);
      const [why] = [...malformed.map((sentence) => ({ sentence, cause: sentence })), ...failures];
      if (why !== undefined) throw new Refusal(why);
      const isSame = old !== undefined && lifecycle.diff(old.inputs, inputs).changes === false;
      steps[name] = old === undefined ? "create" : isSame ? "same" : "update";
      const outputs = isSame ? old.outputs : lifecycle.outputsOf(inputs, old?.outputs);
      records.set(name, { inputs, outputs });
      return { ...outputs, lastReadAt: outputs["__lastReadAt"] };
    };
    const { configs, failure } = await run(warnings, register).then(
      (configs) => ({ configs, failure: undefined }),
      ({ message }: Error) => ({ configs: undefined, failure: message }),
    );
    // A run that fails deletes nothing.
    this.records = new Map([...records].filter(([name]) => failure !== undefined || name in steps));
    return { failure, warnings, configs, steps };
  }
}

/** Returns the outputs of a child. */
type Register = (
  name: string,
  sent: Properties,
  readAhead?: () => ReadAhead["read"] | undefined,
) => Promise<Properties>;
