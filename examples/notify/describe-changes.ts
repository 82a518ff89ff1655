const SETTINGS = ["logPath", "logPathWindows", "logRotate", "username"] as const;

type Inputs = Readonly<Record<string, unknown>>;

/** Returns a text for each setting that changed. `configOverrides` is left out, because it may hold credentials. */
export function describeChanges(before: Inputs = {}, after: Inputs = {}): string[] {
  return SETTINGS.flatMap((name) => {
    const [old, now] = [before[name], after[name]].map((value) => escaped(JSON.stringify(value ?? null)));
    return old === now ? [] : [`${name} was ${old} and is ${now}`];
  });
}

/** A member of the project may have written these settings: chats take `<!channel>` and `<https://...|text>` for more than text. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
