/** Why a resource fails. */
export interface Failure {
  /** What failed, why, and what to do about it. */
  readonly sentence: string;
  /** The same for all failures that are reported as one. */
  readonly cause: string;
}

/** What is reported of one resource that fails. */
export interface NamedFailure extends Failure {
  readonly name: string;
}

/** Returns a failure that has its cause with no other one in common, unless that says the same. */
export function failure(sentence: string): Failure {
  return { sentence, cause: sentence };
}

/**
 * Says in one line for each cause what else has failed: which resources, and the sentence of the first.
 * @param told the causes of which a reader knows already
 * @param maxNames how many of those that share a cause are named
 */
export function describeFailures(
  failures: readonly NamedFailure[],
  told: readonly Failure[] = [],
  maxNames = 3,
): string[] {
  const toldCauses = new Set(told.map(({ cause }) => cause));
  const causes = [...Map.groupBy(failures, ({ cause }) => cause)];
  // What refers to the sentences that are told comes right after them.
  causes.sort(([one], [other]) => Number(toldCauses.has(other)) - Number(toldCauses.has(one)));
  return causes.map(([cause, alike]) => {
    const names = listOf(
      alike.map(({ name }) => name),
      maxNames,
    );
    if (toldCauses.has(cause)) return `The same is true of ${alike.length} more: ${names}.`;
    return alike.length === 1
      ? `${names}: ${alike[0]?.sentence}`
      : `${alike.length} fail alike: ${names}. ${alike[0]?.sentence}`;
  });
}

function listOf(names: readonly string[], maxNames: number): string {
  const shown = [...new Set(names)];
  if (shown.length <= maxNames + 1) return shown.join(", ");
  return `${shown.slice(0, maxNames).join(", ")} and ${shown.length - maxNames} others`;
}
