import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";

// What the record of a resource has to be after each run of Pulumi, and what the run has to say. It says nothing about how.

/** What the service has; empty for what is not set. */
export interface Settings {
  readonly logPath: string;
  readonly logRotate: { readonly sizeThresholdMB?: number; readonly numTotal?: number };
  readonly configOverrides: { readonly key?: string };
}

export interface ServiceWorld {
  readonly condition: "works" | "is down" | "refuses the key";
  /** The settings of each project; undefined for one that is gone. */
  readonly projects: readonly (Settings | undefined)[];
}

/** What a program asks for. */
export interface Args {
  readonly project: number;
  /** undefined in a program, but not in a record. */
  readonly whenUnavailable: "fail" | "useRecorded" | undefined;
  readonly expect: { readonly logPath: string } | { readonly notSet: readonly ["logPath"] } | undefined;
  readonly whenUnexpected: "fail" | "warn" | undefined;
}

/** Everything that can differ from one run to the next. */
export interface Step {
  readonly run: "preview" | "up" | "refresh";
  readonly args: Args;
  readonly ignoreChanges: readonly string[];
  /** A transform adds the options and the rules, so that the program does not know them when it reads. */
  readonly isTransformed: boolean;
  /** The resource has `replaceOnChanges: ["logPath"]`. */
  readonly replacesOnLogPath: boolean;
  /** The run has `--replace` for the resource. */
  readonly isForced: boolean;
  /** Before it, somebody has edited the state, which does not say any more what the settings were read for. */
  readonly isEdited: boolean;
  readonly services: readonly ServiceWorld[];
  /** The service that the engine's provider is configured with. */
  readonly service: number;
  /** Its address is spelled in another way than before. */
  readonly isSpelledOtherwise: boolean;
  /** How settings get to the provider: from the program, from a program with another connection, or not at all. */
  readonly way: "travel" | "travel from elsewhere" | "foreign provider" | "plugin";
}

interface Record {
  readonly args: Args;
  readonly settings: Settings;
  /** The service that the settings are of, or {@link NOBODY_KNOWS}. */
  readonly service: number;
}

/** The service of a record in a state that does not say it. */
const NOBODY_KNOWS = -1;

/** The service of a fleet whose members are of two, because some of them are ignored. */
export const SEVERAL = -2;

/** All settings of a record; the services of the model have three of them. */
const ALL_SETTINGS = ["logPath", "logPathWindows", "logRotate", "username", "configOverrides"];

/** What Pulumi keeps of one resource. */
export interface State {
  readonly record: Record | undefined;
  /** The service of the last update, which a refresh reads. */
  readonly connection: number;
}

export interface Outcome extends State {
  readonly shows: "creates" | "updates" | "replaces" | "nothing" | "removes" | "fails";
  readonly warnsOfOutage: boolean;
}

/** What Pulumi keeps of a fleet. */
export interface FleetState extends Pick<State, "connection"> {
  /** Its arguments, and the records of its members by their names. */
  readonly fleet: { readonly args: Args; readonly members: { readonly [name: string]: Record } } | undefined;
}

/** Returns the members of a fleet. With the other project `a` moves, `b` goes and `c` comes. */
export function membersOf({ project }: Args): { readonly [name: string]: number } {
  return project === 0 ? { a: 0, b: 1 } : { a: 1, c: 0 };
}

/** Predicts the life of a fleet, in which nothing is transformed or replaced for a difference, and all or nothing is ignored. */
export function predictFleet(given: Step, { fleet, connection }: FleetState): FleetState & Omit<Outcome, keyof State> {
  const step = withDefaults(given);
  const edit = (record: Record) => (step.isEdited ? { ...record, service: NOBODY_KNOWS } : record);
  const records = Object.entries(fleet?.members ?? {}).map(([name, record]) => [name, edit(record)] as const);
  const before = { fleet: fleet && { ...fleet, members: Object.fromEntries(records) }, warnsOfOutage: false };
  if (step.run === "refresh") {
    const outcomes = records.map(([name, record]) => [name, predictRefresh(step, { record, connection })] as const);
    if (outcomes.some(([, { shows }]) => shows === "fails")) return { ...before, connection, shows: "fails" };
    const left = outcomes.flatMap(([name, { record }]) => (record === undefined ? [] : [[name, record] as const]));
    return {
      fleet: fleet && { ...fleet, members: Object.fromEntries(left) },
      connection,
      shows: outcomes.every(([, { shows }]) => shows === "nothing") ? "nothing" : "updates",
      warnsOfOutage: outcomes.some(([, { warnsOfOutage }]) => warnsOfOutage),
    };
  }
  const isForced = step.isForced && fleet !== undefined;
  const args = fleet !== undefined && !isForced && step.ignoreChanges.includes("*") ? fleet.args : step.args;
  const settled = Object.entries(membersOf(args)).map(([name, project]) => {
    return [name, settle(step, { ...args, project }, isForced ? undefined : before.fleet?.members[name])] as const;
  });
  const state = { ...before, connection: step.run === "up" ? step.service : connection };
  const made = settled.flatMap(([name, record]) => (record === undefined ? [] : [[name, record] as const]));
  if (made.length < settled.length) return { ...state, shows: "fails" };
  const services = new Set(made.map(([, { service }]) => service).filter((service) => service !== NOBODY_KNOWS));
  const [service = NOBODY_KNOWS] = services.size > 1 ? [SEVERAL] : services;
  const members = Object.fromEntries(
    made.map(([name, { isRecorded: _, ...record }]) => [name, { ...record, service }]),
  );
  const visible = (all: readonly (readonly [string, Record])[]) => all.map(([name, { settings }]) => [name, settings]);
  const isSame = isDeepStrictEqual([args, visible(made)], [fleet?.args, visible(records)]);
  const shows = fleet === undefined ? "creates" : isForced ? "replaces" : isSame ? "nothing" : "updates";
  const warnsOfOutage = made.some(([, { isRecorded }]) => isRecorded);
  return { ...state, ...(step.run === "up" && { fleet: { args, members } }), shows, warnsOfOutage };
}

export function predict(given: Step, { record, connection }: State): Outcome {
  const step = withDefaults(given);
  const edited = step.isEdited && record !== undefined ? { ...record, service: NOBODY_KNOWS } : record;
  const before = { record: edited, connection };
  return step.run === "refresh" ? predictRefresh(step, before) : predictUpdate(step, before);
}

function withDefaults(step: Step): Step {
  return { ...step, args: { ...step.args, whenUnavailable: step.args.whenUnavailable ?? "fail" } };
}

function predictRefresh({ services }: Step, { record, connection }: State): Outcome {
  const state = { record, connection, warnsOfOutage: false };
  if (record === undefined) return { ...state, shows: "nothing" };
  const found = read(services[connection], record.args.project);
  if (found === "gone") return { ...state, record: undefined, shows: "removes" };
  if (found === "outage" && record.args.whenUnavailable === "useRecorded")
    return { ...state, shows: "nothing", warnsOfOutage: true };
  if (typeof found === "string") return { ...state, shows: "fails" };
  const isSame = isDeepStrictEqual(found, record.settings);
  return {
    ...state,
    record: { ...record, service: connection, settings: found },
    shows: isSame ? "nothing" : "updates",
  };
}

function predictUpdate(step: Step, { record, connection }: State): Outcome {
  const args = record === undefined ? step.args : ignoring(step, record.args, step.args);
  // The engine asks as if there were no record, and before it replaces for a difference it asks once more in this way.
  const fresh = () => settle(step, step.args, undefined);
  const isForced = step.isForced && record !== undefined;
  const attempt = isForced ? fresh() : settle(step, args, record);
  const { logPath } = attempt?.settings ?? {};
  const differs =
    record?.args.project !== args.project || (step.replacesOnLogPath && record?.settings.logPath !== logPath);
  const replaces = record !== undefined && (isForced || (attempt !== undefined && differs));
  const settled = replaces && !isForced ? fresh() : attempt;
  const state = { record, connection: step.run === "up" ? step.service : connection, warnsOfOutage: false };
  if (settled === undefined) return { ...state, shows: "fails" };
  const { isRecorded, ...made } = settled;
  const isSame = isDeepStrictEqual([made.args, made.settings], [record?.args, record?.settings]);
  const shows = record === undefined ? "creates" : replaces ? "replaces" : isSame ? "nothing" : "updates";
  return { ...state, record: step.run === "up" ? made : record, shows, warnsOfOutage: isRecorded };
}

/** Returns the record that an update makes; undefined where it fails. */
function settle(step: Step, args: Args, record: Record | undefined) {
  const { services, service, way, ignoreChanges, isTransformed } = step;
  // A program does not know what a transform ignores.
  const isHidden = isTransformed && way === "travel";
  const isOwn = record?.args.project === args.project;
  const ignoresEach = !isHidden && ALL_SETTINGS.every((name) => ignoreChanges.includes(name));
  if (isOwn && (ignoresEach || ignoreChanges.includes("*"))) return judgeSettings({ ...record, args }, false);
  const found = read(services[service], args.project);
  if (typeof found !== "string") {
    const settings = record && (isOwn || isHidden) ? ignoring(step, record.settings, found) : found;
    return judgeSettings({ args, service, settings }, false);
  }
  const mayUse = found === "outage" && args.whenUnavailable === "useRecorded";
  if (!mayUse || !isOwn || ![service, NOBODY_KNOWS].includes(record.service)) return undefined;
  return judgeSettings({ ...record, args }, true);
}

function judgeSettings(record: Record, isRecorded: boolean) {
  const { expect, whenUnexpected } = record.args;
  const wanted = expect !== undefined && "logPath" in expect ? expect.logPath : "";
  const isAsExpected = expect === undefined || wanted === record.settings.logPath;
  return isAsExpected || whenUnexpected === "warn" ? { ...record, isRecorded } : undefined;
}

function read(service: ServiceWorld | undefined, project: number): Settings | "gone" | "outage" | "refused" {
  if (service === undefined || service.condition === "is down") return "outage";
  return service.condition === "works" ? (service.projects[project] ?? "gone") : "refused";
}

/** Keeps the recorded value of each property whose changes are ignored. */
function ignoring<Properties extends object>({ ignoreChanges }: Step, recorded: Properties, news: Properties) {
  if (ignoreChanges.includes("*")) return recorded;
  const keep = (from: object, to: object, prefix = ""): object =>
    Object.fromEntries(
      Object.keys({ ...from, ...to }).flatMap((name) => {
        const [old, value]: unknown[] = [Reflect.get(from, name), Reflect.get(to, name)];
        if (ignoreChanges.includes(prefix + name)) return prefix === "" || old !== undefined ? [[name, old]] : [];
        if (name !== "logRotate") return name in to ? [[name, value]] : [];
        return [[name, keep(Object(old), Object(value), "logRotate.")]];
      }),
    );
  return { ...news, ...keep(recorded, news) };
}

// Objects without a prototype would differ from others.
const record = <Value>(members: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }) =>
  fc.record<Value>(members, { noNullPrototype: true });
const logPath = fc.constantFrom("/1", "/2", "");
const threshold = fc.constantFrom(1, 2);
const settings = record<Settings>({
  logPath,
  logRotate: fc.record(
    { sizeThresholdMB: threshold, numTotal: threshold },
    { requiredKeys: [], noNullPrototype: true },
  ),
  configOverrides: fc.constantFrom({ key: "1" }, { key: "2" }, {}),
});
const usually = <Value>(usual: Value, other: fc.Arbitrary<Value>) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 3 }, { arbitrary: other, weight: 1 });
const service = record<ServiceWorld>({
  condition: usually<ServiceWorld["condition"]>("works", fc.constantFrom("is down", "refuses the key")),
  projects: fc.tuple(settings, fc.option(settings, { nil: undefined, freq: 4 })),
});

/** One run of Pulumi, after whatever has happened since the one before. */
export const stepArbitrary = record<Step>({
  isForced: usually(false, fc.boolean()),
  isEdited: usually(false, fc.boolean()),
  replacesOnLogPath: usually(false, fc.boolean()),
  isSpelledOtherwise: fc.boolean(),
  isTransformed: usually(false, fc.boolean()),
  run: fc.constantFrom("preview", "up", "up", "refresh"),
  args: record<Args>({
    project: usually(0, fc.constant(1)),
    whenUnavailable: fc.constantFrom(undefined, "fail", "useRecorded", "useRecorded"),
    expect: usually<Args["expect"]>(
      undefined,
      fc.constantFrom({ logPath: "/1" }, { logPath: "/2" }, { notSet: ["logPath"] }),
    ),
    whenUnexpected: fc.constantFrom(undefined, "fail", "warn"),
  }),
  ignoreChanges: usually<readonly string[]>(
    [],
    fc.constantFrom(
      ["logPath"],
      ["logRotate"],
      ["logRotate.numTotal"],
      ["project"],
      ["logPath", "project"],
      ALL_SETTINGS,
      ["*"],
    ),
  ),
  services: fc.tuple(service, service),
  service: usually(0, fc.constant(1)),
  way: fc.constantFrom("travel", "travel from elsewhere", "foreign provider", "plugin"),
}).map((step) => ({ ...step, isTransformed: step.isTransformed && isKeptByEngine(step) }));

/** Where the provider reads for itself, it can't know what a transform ignores: docs/resource.md says so. */
function isKeptByEngine({ way, ignoreChanges }: Step): boolean {
  return way === "plugin" || (way === "travel" && !ignoreChanges.includes("project"));
}

/** One run with a fleet. */
export const fleetStepArbitrary = stepArbitrary.map(
  (step): Step => ({
    ...step,
    ignoreChanges: step.ignoreChanges.filter((path) => path === "*"),
    isTransformed: false,
    replacesOnLogPath: false,
    way: step.way === "plugin" ? "plugin" : "foreign provider",
  }),
);
