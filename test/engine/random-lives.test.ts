import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { openService } from "../client/open-client.ts";
import type { Deployment, Run } from "../deployment/deployment.ts";
import { findPulumi } from "../deployment/find-pulumi.ts";
import { openProgram, PRIVATE_KEY, PROJECT_ID, skipWithout } from "../deployment/open-program.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import {
  type Outcome,
  predict,
  type ServiceWorld,
  type State,
  type Step,
  stepArbitrary,
} from "../provider/life-model.ts";

// The lives of resources as in test/provider/life.test.ts, here of whole programs: LIFE_RUNS=100 explores more of them.

const TYPE = "pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig";
/** The end of the URN of each resource. */
const RESOURCES = {
  plain: `::${TYPE}::plain`,
  grouped: `::test:index:Group$${TYPE}::same`,
  twin: `::test:index:OtherGroup$${TYPE}::same`,
  after: `::test:index:Group$${TYPE}::after`,
  fleet: `::agent-log-config:index:AgentLogConfigs$${TYPE}::fleet-${PROJECT_ID}-monitoring`,
  foreign: "::agent-log-config:index:AgentLogConfig::foreign",
} as const;
type Name = keyof typeof RESOURCES;
type Each<Value> = Readonly<Record<Name, Value>>;
const NAMES: readonly Name[] = ["plain", "grouped", "twin", "after", "fleet", "foreign"];
const each = <Value>(make: (name: Name) => Value): Each<Value> => ({
  plain: make("plain"),
  grouped: make("grouped"),
  twin: make("twin"),
  after: make("after"),
  fleet: make("fleet"),
  foreign: make("foreign"),
});
const urnOf = (name: Name) => `urn:pulumi:dev::life${RESOURCES[name]}`;

/** What one program can ask of all its resources: whole properties are ignored, and no project changes. */
const asEngine = (step: Step): Step => ({
  ...step,
  args: { ...step.args, project: 0 },
  ignoreChanges: step.ignoreChanges.filter((path) => path === "logPath"),
  way: "travel",
});
const steps = fc.record(each(() => stepArbitrary)).map((asked) =>
  each((name) => {
    const { run, services, service, isSpelledOtherwise } = asked.plain;
    const step = asEngine({ ...asked[name], run, services, service, isSpelledOtherwise });
    // The program reads with the connection of the stack, and the provider with another one.
    if (name === "twin") return { ...step, service: 1 - service, isTransformed: false };
    if (name === "fleet") return { ...step, isTransformed: false };
    return name === "foreign" ? { ...step, isTransformed: false } : step;
  }),
);
const installed = usePluginFolder();

async function open(context: TestContext) {
  const found = findPulumi();
  const folders = "path" in found ? found.path : "";
  const { deployment, service } = await openProgram(context, "real", "life", {}, { PATH: installed.pathWith(folders) });
  const other = await openService({ privateKey: PRIVATE_KEY });
  await deployment.setConfig("agent-log-config:maxRetries", "0");
  return { deployment, services: [service, other] };
}

function arrange(service: Service, { condition, projects: [settings] }: ServiceWorld): void {
  service.set(PROJECT_ID, "monitoring", undefined);
  if (settings !== undefined) service.set(PROJECT_ID, "monitoring", withoutNull(settings));
  service.rotateKey(condition === "refuses the key" ? "private-key-0002" : PRIVATE_KEY);
  service.respondWith(condition === "is down" ? { status: 503 } : undefined);
}

const withoutNull = (value: object) => Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));

async function set(deployment: Deployment, services: readonly Service[], asked: Each<Step>): Promise<void> {
  const { plain } = asked;
  for (const [index, service] of services.entries()) arrange(service, plain.services[index] ?? DOWN);
  const resources = each((name) => {
    const { args, ignoreChanges, replacesOnLogPath, isTransformed } = asked[name];
    const { project: _, ...rules } = args;
    const options = { ignoreChanges, ...(replacesOnLogPath ? { replaceOnChanges: ["logPath"] } : {}) };
    return { rules, options, isTransformed };
  });
  const addresses = services.map(({ baseUrl }) => (plain.isSpelledOtherwise ? `${new URL(baseUrl).origin}/` : baseUrl));
  await deployment.setConfigs({
    "agent-log-config:baseUrl": addresses[plain.service] ?? "",
    "life:otherBaseUrl": addresses[1 - plain.service] ?? "",
    "life:projectId": PROJECT_ID,
    "life:resources": JSON.stringify(resources),
  });
}

const DOWN: ServiceWorld = { condition: "is down", projects: [] };

/** What is recorded of each resource, and what the model expects of it. */
async function recordsIn(deployment: Deployment): Promise<Each<unknown>> {
  const { deployment: state } = JSON.parse(JSON.stringify(await deployment.exportState()));
  return each((name) => {
    const found = (state.resources ?? []).find(({ urn }: { urn: string }) => urn === urnOf(name));
    const { logPath, logRotate, whenUnavailable } = found?.outputs ?? {};
    return found && { logPath, logRotate, whenUnavailable: whenUnavailable ?? undefined };
  });
}

function expectedRecord({ record }: State): unknown {
  if (record === undefined) return undefined;
  const { settings, args } = record;
  return { logPath: settings.logPath, logRotate: settings.logRotate, whenUnavailable: args.whenUnavailable };
}

const OPERATIONS = { creates: "create", updates: "update", replaces: "replace" } as const;

it("lives of resources are as the model says, on the real engine", { timeout: 3_600_000 }, async (context) => {
  skipWithout(context, "real");
  const life = fc.array(steps, { minLength: 3, maxLength: 4 });
  const numRuns = Number(process.env["LIFE_RUNS"] ?? 2);
  const property = fc.asyncProperty(life, async (sequence) => {
    const { deployment, services } = await open(context);
    let states: Each<State> = each(() => ({ record: undefined, connection: 0 }));
    for (const [index, drawn] of sequence.entries()) {
      // Until something is created, a preview knows nothing of what waits for it.
      const asked = index === 0 ? each((name): Step => ({ ...drawn[name], run: "up" })) : drawn;
      const { run } = asked.plain;
      await set(deployment, services, asked);
      const predicted = each((name) => predict(asked[name], states[name]));
      const isDown = asked.plain.services[asked.plain.service]?.condition === "is down";
      // A preview ends at a resource that the package in the program does not take for one that fails.
      const isAsked = (name: Name) => {
        const { args, ignoreChanges, isTransformed } = asked[name];
        const isByRecord = args.expect !== undefined && ignoreChanges.length > 0;
        const isElsewhere = name === "twin" || name === "foreign" || isTransformed;
        return isElsewhere || isByRecord || (isDown && args.whenUnavailable === "useRecorded");
      };
      const forced = NAMES.filter((name) => asked[name].isForced && states[name].record !== undefined);
      const flags = run === "refresh" ? [] : forced.flatMap((name) => ["--replace", urnOf(name)]);
      const command = run === "preview" ? ["preview"] : [run, "--yes", "--skip-preview"];
      states = await compare(deployment, await deployment.run([...command, ...flags]), run, states, predicted, isAsked);
    }
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
});

/** Compares a run with what is predicted of each resource, and returns what is recorded now. */
async function compare(
  deployment: Deployment,
  { ok, steps: shown, urns = [], text }: Run,
  kind: Step["run"],
  before: Each<State>,
  predicted: Each<Outcome>,
  isAsked: (name: Name) => boolean,
): Promise<Each<State>> {
  // What waits for a resource is not reached where that one fails.
  const isReached = kind === "refresh" || predicted.plain.shows !== "fails";
  // The first one that fails ends an update; and a preview, if only the engine can judge it, by what is recorded.
  const isCut =
    kind !== "refresh" && NAMES.some((name) => (kind === "up" || isAsked(name)) && predicted[name].shows === "fails");
  const isShown = (name: Name) => urns.includes(urnOf(name));
  const known = NAMES.filter(
    (name) => (name !== "after" || isReached) && (!isCut || predicted[name].shows === "fails" || isShown(name)),
  );
  const outcomes = known.map((name) => predicted[name]);
  const fails = outcomes.some(({ shows }) => shows === "fails");
  expect(ok, text).toBe(!fails);
  // The program warns of all its resources.
  if (!fails) expect(text.includes(" uses the ")).toBe(outcomes.some(({ warnsOfOutage }) => warnsOfOutage));
  if (kind !== "refresh") {
    // A preview of the plugin has a step for a resource that fails, too.
    const compared = known.filter((name) => name !== "foreign" || predicted[name].shows !== "fails");
    const operations = compared.map((name) => {
      const { shows } = predicted[name];
      return [name, shows in OPERATIONS ? Reflect.get(OPERATIONS, shows) : undefined];
    });
    const found = compared.map((name) => [name, shown[urns.indexOf(urnOf(name))]?.op]);
    expect(found, text).toEqual(operations);
  }
  // Of steps that are under way when another one fails, the engine may tell nothing.
  const recorded = await recordsIn(deployment);
  const isDone = (name: Name) => isDeepStrictEqual(recorded[name], expectedRecord(predicted[name]));
  const states = each((name) =>
    known.includes(name) || kind !== "up" || isDone(name)
      ? predicted[name]
      : { ...before[name], connection: predicted[name].connection },
  );
  expect(recorded, text).toEqual(each((name) => expectedRecord(states[name])));
  return states;
}
