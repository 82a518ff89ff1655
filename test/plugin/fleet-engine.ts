import { constructFleet, type ReadAhead } from "../../sdk/plugin/construct-fleet.ts";
import { withoutMarks } from "../../sdk/plugin/property-marks.ts";
import * as lifecycle from "../../sdk/provider/resource-lifecycle.ts";

type Read = Parameters<typeof constructFleet>[3]["read"];

/** A child in the state. */
export interface FleetRecord {
  readonly inputs: lifecycle.Properties;
  readonly outputs: lifecycle.Properties;
}

/** What one run of a fleet has shown. */
export interface FleetRun {
  readonly failure: string | undefined;
  readonly warnings: readonly string[];
  readonly outputs: lifecycle.Properties | undefined;
  /** The name of each child that was registered, and what becomes of it. */
  readonly steps: Readonly<Record<string, "create" | "update" | "same">>;
}

const FLEET = "urn:pulumi:dev::p::agent-log-config:index:AgentLogConfigs::fleet";

/** What the engine does with a fleet of the plugin: it registers the children, and keeps their records. */
export class FleetEngine {
  /** The records by the names of the children. */
  records: ReadonlyMap<string, FleetRecord> = new Map();
  /** What was sent for each child in the last run. */
  readonly registered = new Map<string, lifecycle.Properties>();
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  async up(args: lifecycle.Properties, registerUrn = FLEET): Promise<FleetRun> {
    this.registered.clear();
    const records = new Map(this.records);
    const [warnings, steps, readsAhead]: [
      string[],
      Record<string, "create" | "update" | "same">,
      Map<string, ReadAhead>,
    ] = [[], {}, new Map()];
    const registerChild = async (parent: string, name: string, sent: lifecycle.Properties) => {
      this.registered.set(name, sent);
      const ahead = readsAhead.get(`${parent.replace(/::fleet$/, "")}$agent-log-config:index:AgentLogConfig::${name}`);
      const engine = {
        sources: [],
        warn: (message: string) => void warnings.push(message),
        readAhead: () => ahead?.read,
      };
      const old = records.get(name);
      const { inputs, failures, malformed } = await lifecycle.check(engine, old?.inputs ?? {}, withoutMarks(sent), []);
      if (malformed.length > 0) throw new Error(malformed.join());
      if (failures.length > 0) {
        ahead?.refuse(failures.join());
        // The engine ends its work before it answers.
        return new Promise<never>(() => {});
      }
      steps[name] =
        old === undefined ? "create" : lifecycle.diff(old.inputs, inputs).changes === false ? "same" : "update";
      const outputs =
        steps[name] === "same" && old !== undefined ? old.outputs : lifecycle.outputsOf(inputs, old?.outputs);
      records.set(name, { inputs, outputs });
      return { ...outputs, lastReadAt: outputs["__lastReadAt"] };
    };
    const monitor = { registerComponent: async () => registerUrn, registerChild, registerOutputs: async () => {} };
    const host = {
      read: this.#read,
      readsAhead,
      warn: (_: string, message: string) => void warnings.push(message),
      during: <Result>(read: () => Promise<Result>) => read(),
      fail: async (_: string, sentence: string) => {
        throw new Error(sentence);
      },
    };
    const run = await constructFleet("fleet", args, monitor, host).then(
      ({ outputs }) => ({ outputs, failure: undefined }),
      ({ message }: Error) => ({ outputs: undefined, failure: message }),
    );
    // A run that fails deletes nothing.
    const kept = [...records].filter(([name]) => run.failure !== undefined || name in steps);
    this.records = new Map(kept);
    return { ...run, warnings, steps };
  }
}
