import type { ProviderHosts } from "./provider-hosts.ts";
import type { Resource } from "./resource.ts";
import type { RunProcess } from "./run-process.ts";
import type { RunText, Step } from "./run-text.ts";

/** One run of the stand-in engine on one stack: what was, what it has become so far, and what is printed about it. */
export interface Operation extends RunProcess {
  readonly project: string;
  readonly stack: string;
  readonly planning: boolean;
  readonly config: ReadonlyMap<string, { readonly value: string; readonly secret: boolean }>;
  readonly text: RunText;
  readonly hosts: ProviderHosts;
  /** Waits for its turn, and fails once the run has failed. */
  readonly oneAtATime: <Result>(act: () => Promise<Result>) => Promise<Result>;
  /** What the state holds, less what is gone. */
  readonly before: Map<string, Resource>;
  /** What replacements have left behind, to be deleted when the program is through. */
  readonly replaced: Resource[];
  readonly after: Map<string, Resource>;
}

/** Takes a step, which may make a resource, and notes it. */
export async function takeStep<Made extends Resource | undefined>(
  { text }: Operation,
  step: Step,
  take: () => Promise<Made>,
): Promise<Made> {
  const resource = await take();
  text.take(resource ? { ...step, new: resource } : step);
  return resource;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
