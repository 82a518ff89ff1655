/**
 * Calls a function for each element, for a limited number of them at once.
 * @returns the results in the order of the elements
 */
export async function mapAtOnce<Element, Result>(
  elements: Iterable<Element>,
  limit: number,
  call: (element: Element) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...elements].entries();
  const callNext = async () => {
    for (const [index, element] of waiting) results[index] = await call(element);
  };
  await Promise.all(Array.from({ length: limit }, callNext));
  return results;
}
