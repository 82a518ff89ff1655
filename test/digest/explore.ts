/** Something that can happen now, with a name that is the same whenever it can happen again. */
export interface Step {
  readonly name: string;
  readonly take: () => void;
}

/** What is explored: it begins anew for each order, and tells what can happen next. */
export interface World {
  /** What can happen now; empty at the end. */
  readonly steps: () => readonly Step[];
  /** All that decides what can happen from now on. Of two worlds with the same text only one is followed. */
  readonly projection: () => string;
  /** What must not be as it is now; undefined where all is well. */
  readonly problem: () => string | undefined;
}

/**
 * Follows every order of steps.
 * @returns how many different worlds there are
 * @throws Error with the problem and the steps that lead to it
 */
export function explore(begin: () => World): number {
  const seen = new Set<string>();
  const left: (readonly string[])[] = [[]];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const world = begin();
    try {
      for (const name of path)
        world
          .steps()
          .find((step) => step.name === name)
          ?.take();
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error} ${path.join(", ")}`);
    }
    const problem = world.problem();
    if (problem !== undefined) throw new Error(`${problem} ${path.join(", ")}`);
    const projection = world.projection();
    if (seen.has(projection)) continue;
    seen.add(projection);
    for (const { name } of world.steps()) left.push([...path, name]);
  }
  return seen.size;
}
