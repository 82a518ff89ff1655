/** Returns what a command printed without the stack itself, and without URNs, which are too wide, and ids that vary. */
export function withoutUrns(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.filter((line) => !/\[urn=|\[id=[0-9a-f]{8}-|pulumi:pulumi:Stack/.test(line)).join("\n");
}
