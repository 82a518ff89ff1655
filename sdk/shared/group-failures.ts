/** What is reported of one resource that fails. */
export interface Failure {
  readonly name: string;
  readonly sentence: string;
}

/**
 * Says in one line for each cause what else has failed: which resources, and the sentence of the first.
 * @param told the sentences of which a reader knows already
 * @param maxNames how many of those that share a cause are named
 */
export function describeFailures(failures: readonly Failure[], told: readonly string[] = [], maxNames = 3): string[] {
  const causes = Map.groupBy(failures, ({ sentence }) => causeOf(sentence));
  const toldCauses = new Set(told.map(causeOf));
  return [...causes].map(([cause, alike]) => {
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

/** Returns a sentence without what differs between resources: the id of the project and the agent. */
export function causeOf(sentence: string): string {
  return sentence.replaceAll(/\b[0-9a-f]{24}\b/gi, "<project>").replaceAll(/\b(?:monitoring|backup)\b/g, "<agent>");
}
