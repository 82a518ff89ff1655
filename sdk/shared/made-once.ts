/** Returns what was made for a key before, or makes it. What fails is forgotten, because the next attempt may succeed. */
export function madeOnce<Made>(
  kept: Map<string, Promise<Made>>,
  key: string,
  make: () => Promise<Made>,
): Promise<Made> {
  const before = kept.get(key);
  if (before !== undefined) return before;
  const made = make();
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  return made;
}
