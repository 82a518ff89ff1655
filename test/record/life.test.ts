import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { AgentLogConfigError, type AgentLogConfigResult } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { errorFinding } from "../../sdk/findings/finding.ts";
import { recordedSettingsOf } from "../../sdk/model/agent-log-settings.ts";
import { configurationKey, lookUpConnection, stackConfiguration } from "../../sdk/reading/connection-settings.ts";
import { checkInputs } from "../../sdk/record/check-inputs.ts";
import { originText } from "../../sdk/record/program-origin.ts";
import { fingerprintsOf } from "../../sdk/record/read-target.ts";
import { differenceOf, outputsToRecord } from "../../sdk/record/record-changes.ts";
import { refreshRecord } from "../../sdk/record/refresh-record.ts";
import { asProperties, type Properties, parseProperties } from "../../sdk/record/resource-properties.ts";
import { isObject } from "../../sdk/text/json.ts";
import {
  type Args,
  type FleetState,
  fleetStepArbitrary,
  membersOf,
  type Outcome,
  predict,
  predictFleet,
  SEVERAL,
  type ServiceWorld,
  type Settings,
  type State,
  type Step,
  stepArbitrary,
} from "./life-model.ts";
import { NO_THRESHOLDS, settingsOf } from "./settings-of.ts";

const PROJECTS = ["0".repeat(24), "1".repeat(24)];
const agent = "monitoring";
const ID = `${PROJECTS[0]}/${agent}`;

/** What the engine keeps. */
interface Kept {
  readonly inputs: Properties;
  readonly outputs: Properties;
}

let kept: Kept | undefined;
let connection: number;
let isOfFleet: boolean;

/** Does with the life-cycle module what the engine does with a provider. */
async function run(step: Step): Promise<Pick<Outcome, "shows" | "warnsOfOutage">> {
  if (step.isEdited && kept !== undefined) {
    const { __readTarget: _, ...inputs } = kept.inputs;
    kept = { ...kept, inputs };
  }
  return step.run === "refresh" ? refreshStep(step) : update(step);
}

const connectionOf = (service: number, isSpelledOtherwise = false) => {
  const address = isSpelledOtherwise ? `HTTPS://Service-${service}:443/api/public/v1.0/` : `https://service-${service}`;
  return lookUpConnection(stackConfiguration((key) => (key === configurationKey("baseUrl") ? address : undefined)));
};

async function refreshStep({ services, isSpelledOtherwise }: Step): Promise<Pick<Outcome, "shows" | "warnsOfOutage">> {
  const quiet = { shows: "nothing", warnsOfOutage: false } as const;
  if (kept === undefined) return quiet;
  const read = async (args: object) => answer(services[connection], args);
  const context = { connection: connectionOf(connection, isSpelledOtherwise), read, readMember: read };
  const recorded = parseProperties(kept.outputs);
  const { id, inputs, outputs, warnings, failures } = await refreshRecord(context, idOf(kept.inputs), recorded);
  if (failures.length > 0) return { ...quiet, shows: "fails" };
  const before = kept;
  const after = { inputs: inputs ? asProperties(inputs) : before.inputs, outputs: asProperties(outputs) };
  kept = id === undefined ? undefined : after;
  if (kept === undefined) return { ...quiet, shows: "removes" };
  const shows = isDeepStrictEqual(visible(kept.inputs), visible(before.inputs)) ? "nothing" : "updates";
  return { shows, warnsOfOutage: warnings.some(({ record }) => record === "used") };
}

async function update(step: Step): Promise<Pick<Outcome, "shows" | "warnsOfOutage">> {
  const sent = sentBy(step);
  if (step.run === "up") connection = step.service;
  const isForced = step.isForced && kept !== undefined;
  const olds = isForced ? undefined : kept?.inputs;
  const news = olds === undefined ? sent : putBack(step.ignoreChanges, olds, sent);
  let checked = await ask(step, olds ?? {}, news);
  if (checked.failures.length > 0) return { shows: "fails", warnsOfOutage: false };
  // When it compares, the engine puts members back into the objects that Check has returned.
  const members = step.ignoreChanges.filter((name) => name.includes("."));
  if (olds !== undefined) checked = { ...checked, inputs: putBack(members, olds, checked.inputs) };
  let shows: Outcome["shows"] = "creates";
  if (kept !== undefined) {
    const [outputs, inputs, news] = [
      parseProperties(kept.outputs),
      parseProperties(kept.inputs),
      parseProperties(checked.inputs),
    ];
    const { changes, replaces = [] } = differenceOf(idOf(kept.inputs), outputs, inputs, news);
    const differs = !isDeepStrictEqual(visible(kept.inputs), visible(checked.inputs));
    const isReplaced =
      replaces.length > 0 || (step.replacesOnLogPath && kept.inputs["logPath"] !== checked.inputs["logPath"]);
    shows = changes === false || !differs ? "nothing" : isReplaced ? "replaces" : "updates";
    if (isForced) shows = "replaces";
    else if (shows === "replaces") checked = await ask(step, {}, sent);
    if (checked.failures.length > 0) return { shows: "fails", warnsOfOutage: false };
  }
  const { inputs, warnings } = checked;
  if (step.run === "up") {
    const recorded = () => asProperties(outputsToRecord(parseProperties(inputs)).outputs);
    kept = { inputs, outputs: shows === "nothing" ? (kept?.outputs ?? {}) : recorded() };
  }
  return { shows, warnsOfOutage: warnings.some(({ record }) => record === "used") };
}

async function ask({ services, service, isSpelledOtherwise }: Step, olds: Properties, news: Properties) {
  const read = async (args: object) => answer(services[service], args);
  const context = { connection: connectionOf(service, isSpelledOtherwise), read, readMember: read };
  const { inputs, ...found } = await checkInputs(context, parseProperties(olds), parseProperties(news), []);
  return { ...found, inputs: asProperties(inputs) };
}

/** What a program sends to the engine. */
function sentBy({ args, way, services, service, ignoreChanges, isTransformed }: Step): Properties {
  const { project, ...others } = args;
  const projectId = PROJECTS[project];
  const members = Object.entries(membersOf(args)).map(([name, index]) => [name, PROJECTS[index]]);
  const ofFleet = { projects: Object.fromEntries(members), agents: [agent] };
  const asked = JSON.parse(JSON.stringify({ ...(isOfFleet ? ofFleet : { projectId, agent }), ...others }));
  const origin = {
    name: "settings",
    secrets: [],
    ignoreChanges: isTransformed ? [] : ignoreChanges.map(nameOf),
  };
  if (way === "plugin") return asked;
  if (way === "foreign provider") return { ...asked, __origin: originText(origin) };
  const from = way === "travel" ? service : 1 - service;
  const { service: readService, publicKey } = fingerprintsOf(connectionOf(from));
  const read = { readTarget: { id: `${projectId}/${agent}`, service: readService }, publicKey };
  try {
    return {
      ...asked,
      ...recordedSettingsOf(answer(services[from], { projectId })),
      __origin: originText({ ...origin, read }),
    };
  } catch (error) {
    const __origin = originText({ ...origin, read: { ...read, failure: errorFinding(error) } });
    return { ...asked, ...recordedSettingsOf({}), __origin };
  }
}

function answer(service: ServiceWorld | undefined, args: unknown): AgentLogConfigResult {
  const projectId = isObject(args) ? String(args["projectId"]) : "";
  if (service?.condition === "is down") throw new AgentLogConfigError("ERR_UNAVAILABLE", "It is down.");
  if (service?.condition === "refuses the key") throw new AgentLogConfigError("ERR_WRONG_KEY", "No.");
  const settings = service?.projects[PROJECTS.indexOf(projectId)];
  if (settings === undefined) throw serviceError(404, { errorCode: "GROUP_NOT_FOUND" }, "It is gone", {});
  const { logPath, configOverrides } = settings;
  const found = { logPath: logPath || undefined, configOverrides };
  const logRotate = { ...NO_THRESHOLDS, ...settings.logRotate };
  return { ...settingsOf({ projectId, agent }), ...found, logRotate };
}

/** Puts recorded values in the place of new ones, as the engine does for `ignoreChanges` before Check. */
function putBack(paths: readonly string[], olds: Properties, news: Properties): Properties {
  if (paths.includes("*")) return olds;
  const result: Record<string, unknown> = { ...news };
  for (const path of paths.map(nameOf)) {
    const [name = "", member] = path.split(".");
    const [old, fresh] = [olds[name], news[name]];
    if (member === undefined) result[name] = old;
    else if (isObject(fresh)) result[name] = { ...fresh, [member]: isObject(old) ? old[member] : undefined };
  }
  return JSON.parse(JSON.stringify(result));
}

const nameOf = (path: string) => (path === "project" ? "projectId" : path);

function idOf({ projectId }: Properties): string {
  return isOfFleet ? "fleet" : ID.replace(/^\w+/, String(projectId));
}

function visible(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => !name.startsWith("__") && value !== null),
  );
}

/** The state in the words of the model. */
function stateNow(): State {
  return { record: kept && recordIn(kept.inputs, kept.inputs), connection };
}

function fleetNow(): FleetState {
  if (kept === undefined) return { fleet: undefined, connection };
  const { inputs } = kept;
  const { a: projectId, configs, configOverrides } = { ...Object(inputs["projects"]), ...inputs };
  const members = Object.entries(Object(configs)).map(([key, config]) => {
    const settings = { ...Object(config), configOverrides: Object(configOverrides)[key] };
    return [key.replace(`/${agent}`, ""), recordIn(inputs, settings)];
  });
  const { args } = recordIn(inputs, { projectId });
  return { fleet: { args, members: Object.fromEntries(members) }, connection };
}

/** @param member the project and the settings, which are those of the resource itself if it is no fleet */
function recordIn({ whenUnavailable, expect: expected, whenUnexpected, __readTarget }: Properties, member: Properties) {
  const { projectId, logPath, logRotate, configOverrides } = member;
  const project = PROJECTS.indexOf(String(projectId));
  const [, service = ""] = String(__readTarget).split(" ");
  const fingerprints = [0, 1].map((index) => fingerprintsOf(connectionOf(index)).service);
  return {
    args: { project, whenUnavailable, expect: expected, whenUnexpected } as Args,
    settings: { logPath, logRotate, configOverrides } as Settings,
    service: service === "several" ? SEVERAL : fingerprints.indexOf(service),
  };
}

/** Lives random lives, and compares each run and the state after it with the model. */
async function compare<Words>(
  steps: fc.Arbitrary<Step>,
  predictStep: (step: Step, state: Words) => Words & Pick<Outcome, "shows" | "warnsOfOutage">,
  now: () => Words,
): Promise<void> {
  const life = fc.asyncProperty(fc.array(steps, { maxLength: 8 }), async (life) => {
    kept = undefined;
    connection = 0;
    let state = now();
    for (const step of life) {
      const found = await run(step);
      const { shows, warnsOfOutage, ...predicted } = predictStep(step, state);
      state = now();
      expect({ ...found, ...state }).toEqual({ shows, warnsOfOutage, ...predicted });
    }
  });
  await fc.assert(life, { numRuns: Number(process.env["LIFE_RUNS"] ?? 2000) });
}

it("does in every life what the model says", async () => {
  isOfFleet = false;
  await compare(stepArbitrary, predict, stateNow);
});

it("does in every life of a fleet what the model says", async () => {
  isOfFleet = true;
  await compare(fleetStepArbitrary, predictFleet, fleetNow);
});
