/** Says of names that are unknown which known ones may be meant: `baseURL (did you mean baseUrl?)`. */
export function describeUnknownNames(unknown: readonly string[], known: readonly string[]): string {
  const described = unknown.map((name) => {
    const nearest = nearestName(name, known);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
  return described.join(", ");
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= candidate.length / 3)
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.candidate;
}

/** Characters to add, remove or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (character === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
