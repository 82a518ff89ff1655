import type { z } from "zod";
import type { AgentKind } from "../client/agent-log-config-id.ts";
import type { AgentLogConfigResult } from "../client/agent-log-config-result.ts";
import { CODES } from "../client/errors.ts";
import { parseArgument, strictObject } from "../client/parse-argument.ts";
import { printable } from "../client/printable.ts";
import { describeFleetOutage, type Outage } from "./describe-outage.ts";
import { unmetExpectations } from "./expected-settings.ts";
import { describeFailures, type Failure, failure, type NamedFailure } from "./group-failures.ts";
import { type AskedRead, projectLists, readEach, readsOf } from "./read-many.ts";
import type { Problem } from "./reading.ts";
import { recordSettings } from "./recorded-settings.ts";
import { resourceArgumentsSchema } from "./resource-arguments.ts";

const { expect, whenUnexpected, whenUnavailable } = resourceArgumentsSchema.shape;

/** The kinds of the arguments of a fleet. */
export const fleetArgumentsSchema = strictObject({
  ...projectLists.shape,
  expect,
  whenUnexpected,
  whenUnavailable,
});

type FleetArguments = z.infer<typeof fleetArgumentsSchema>;

/** One agent of one project of a fleet, which has a record of its own. */
export interface FleetMember {
  /** `<projectId>/<agent>` */
  readonly id: string;
  /** In lower case, so that an id in another case is the same member. */
  readonly projectId: string;
  readonly agent: AgentKind;
  /** The read, which has ended. */
  readonly read: Promise<AgentLogConfigResult>;
  /** The outage in which the recorded settings are to be used; undefined where settings were read. */
  readonly outage: Problem | undefined;
}

/**
 * Reads the settings of a fleet, and judges them.
 * @param args the arguments of the component, not checked yet
 * @param secrets the settings that no message may quote
 * @returns the members that have a record, in the order of the lists, and what is to be told of them and of the others
 * @throws AgentLogConfigError for arguments that can't work, and where every read fails for the same reason
 */
export async function readFleet(
  read: (args: AskedRead) => Promise<AgentLogConfigResult>,
  args: object,
  secrets: readonly string[],
): Promise<{ readonly members: readonly FleetMember[]; readonly report: FleetReport }> {
  const checked = parseArgument(fleetArgumentsSchema, args, "Nothing was read");
  const projectIds = new Set(checked.projectIds.map((id) => (typeof id === "string" ? id.toLowerCase() : id)));
  const agents = checked.agents && { agents: [...new Set(checked.agents)] };
  const everyRead = readsOf({ projectIds: [...projectIds], ...agents });
  const reads = new Map<string, Promise<AgentLogConfigResult>>();
  const remember = (asked: AskedRead) => {
    const started = read(asked);
    reads.set(idOf(asked), started);
    return started;
  };
  const { configs, failures } = await readEach(remember, everyRead);
  const hopeless = failures.find(({ problem }) => CODES[problem.code].everyRead);
  if (configs.length === 0 && hopeless !== undefined) throw hopeless.error;
  const results = new Map(configs.map((result) => [result.id, result]));
  const problems = new Map(failures.map(({ asked, problem }) => [idOf(asked), problem]));
  const report = new FleetReport(reads.size, checked, secrets);
  const members = everyRead.flatMap((asked): FleetMember[] => {
    const id = idOf(asked);
    const [started, result, outage] = [reads.get(id), results.get(id), problems.get(id)];
    const hasRecord =
      result === undefined ? report.isOutage(id, outage) : report.isAsExpected(id, recordSettings(result));
    return hasRecord && started !== undefined ? [{ ...asked, id, read: started, outage }] : [];
  });
  return { members, report };
}

function idOf({ projectId, agent }: { readonly projectId: string; readonly agent: string }): string {
  return `${projectId}/${agent}`;
}

/** The members that are named of those that share a cause: no other resource names them. */
const MAX_NAMES = 50;

/** What a fleet tells: each cause once, with those that it concerns. */
export class FleetReport {
  readonly #total: number;
  readonly #args: FleetArguments;
  readonly #secrets: readonly string[];
  readonly #failures: NamedFailure[] = [];
  readonly #unexpected: NamedFailure[] = [];
  readonly #outages: Omit<Outage, "cause">[] = [];

  constructor(total: number, args: FleetArguments, secrets: readonly string[]) {
    this.#total = total;
    this.#args = args;
    this.#secrets = secrets;
  }

  /** Notes a read that failed. Returns whether the recorded settings are to be used instead. */
  isOutage(id: string, problem: Problem | undefined): boolean {
    if (problem?.temporary && this.#args.whenUnavailable === "useRecorded") return true;
    if (problem !== undefined) this.fail(id, { sentence: problem.message, cause: problem.cause });
    return false;
  }

  /** Notes why a member fails. */
  fail(id: string, why: Failure): void {
    this.#failures.push({ ...why, name: printable(id, 80) });
  }

  /** Judges the settings of a member. Returns whether they are to be recorded. */
  isAsExpected(id: string, settings: object): boolean {
    const { expect, whenUnexpected } = this.#args;
    const unmet = expect === undefined ? [] : unmetExpectations(expect, settings, this.#secrets);
    const noted = whenUnexpected === "warn" ? this.#unexpected : this.#failures;
    for (const sentence of unmet) noted.push({ ...failure(sentence), name: id });
    return unmet.length === 0 || whenUnexpected === "warn";
  }

  /** Notes a member whose recorded settings are used in an outage. */
  useRecord(id: string, settings: object, lastReadAt: unknown, reason: string): void {
    this.#outages.push({ lastReadAt, reason });
    this.isAsExpected(id, settings);
  }

  /** The warnings, a sentence for each cause. */
  get warnings(): readonly string[] {
    const outage = this.#outages.length === 0 ? [] : [describeFleetOutage(this.#outages, this.#total)];
    return [...outage, ...describeFailures(this.#unexpected, [], MAX_NAMES)];
  }

  /** Why the fleet fails; undefined if it does not. */
  get failure(): string | undefined {
    if (this.#failures.length === 0) return undefined;
    const failing = new Set(this.#failures.map(({ name }) => name)).size;
    return [`${failing} of ${this.#total} fail.`, ...describeFailures(this.#failures, [], MAX_NAMES)].join("\n");
  }
}
