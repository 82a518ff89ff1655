const SETTINGS = ["logPath", "logPathWindows", "logRotate", "username"] as const;

type Inputs = Readonly<Record<string, unknown>>;

/** Returns a text for each setting that changed. `configOverrides` is left out, because it may hold credentials. */
export function describeChanges(before: Inputs = {}, after: Inputs = {}): string[] {
  return SETTINGS.flatMap((name) => {
    const [old, now] = [before[name], after[name]].map((value) => JSON.stringify(value ?? null));
    return old === now ? [] : [`${name} was ${old} and is ${now}`];
  });
}
