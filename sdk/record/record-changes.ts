import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../engine/engine-marks.ts";
import { type Finding, resourceFinding } from "../findings/finding.ts";
import { SETTING_NAMES } from "../model/agent-log-settings.ts";
import { judgeSettings } from "./check-inputs.ts";
import { type Completion, joinMembers, membersOf, resourceIdOf, targetIdOf } from "./fleet-record.ts";
import { movedArguments } from "./recorded-settings.ts";
import { isFleet } from "./resource-arguments.ts";
import type { ResourceProperties } from "./resource-properties.ts";

interface Difference {
  /** True for an update, false for none; undefined leaves the comparison to the engine. */
  readonly changes?: boolean;
  readonly replaces?: readonly string[];
}

/**
 * Leaves the comparison to the engine, which shows it property by property, with these exceptions:
 * - Another project or agent replaces the record, and so does an id in the state that is of another one.
 * - A record that moves between a program in TypeScript and the plugin is updated, and so is one that fails, or has failures in the state.
 * - Any other difference in internal properties alone is no change.
 * @param inputs those in the state; its outputs if the inputs are not known
 */
export function differenceOf(
  id: string,
  outputs: ResourceProperties,
  inputs: ResourceProperties,
  news: ResourceProperties,
): Difference {
  // A resource that fails replaces no record. In a refresh the inputs are those that were read, whether they are as expected or not.
  const isFailing = failuresOfCheck(news).length > 0 || (outputs.failures ?? []).length > 0;
  // The engine shows the whole of a map if it is told that there is a change. The failures of a fleet are a difference in any case.
  if (isFailing) return isFleet(news.args) ? {} : { changes: true };
  if (id !== resourceIdOf(outputs)) return { changes: true, replaces: ["projectId"] };
  if (isDeepStrictEqual([inputs.args, inputs.settings], [news.args, news.settings])) {
    return { changes: (outputs.provider === undefined) !== (news.provider === undefined) };
  }
  return { replaces: movedArguments(inputs, news) };
}

/** Returns what to record, unless there are failures: a policy may have changed the inputs since they were checked. */
export function outputsToRecord(
  news: ResourceProperties,
): Pick<Completion, "failures"> & { outputs: ResourceProperties } {
  return { outputs: outputsOf(news), failures: failuresOfUpdate(news) };
}

/** Returns why a resource is not recorded: the failures of its check, or else those of a change since the check. */
function failuresOfUpdate(inputs: ResourceProperties): readonly Finding[] {
  const findings = failuresOfCheck(inputs);
  if (findings.length > 0 || isUnknown(inputs.readTarget?.id)) return findings;
  // Only Check knows which settings are secrets, so nothing is quoted here.
  const judgements = [...membersOf(inputs)].map(
    ([key, member]) => [key, judgeSettings(member, SETTING_NAMES)] as const,
  );
  return joinMembers(inputs, new Map(judgements)).failures;
}

/** Returns the failures of the check, or a failure if the settings are not of this project and agent. */
function failuresOfCheck({ args, readTarget, failures = [] }: ResourceProperties): readonly Finding[] {
  if (failures.length > 0 || isUnknown(readTarget?.id) || readTarget?.id === targetIdOf(args)) return failures;
  return isFleet(args)
    ? [{ message: `AgentLogConfigs: ${POLICY_CHANGE}`, causeKey: POLICY_CHANGE }]
    : [resourceFinding(args, POLICY_CHANGE)];
}

const POLICY_CHANGE =
  "its settings were not read for what its arguments name, because a policy has changed its properties after the read; change them in the program instead.";

export function outputsOf({ args, settings, provider }: ResourceProperties): ResourceProperties {
  return { args, settings, provider };
}
