import * as pulumi from "@pulumi/pulumi";

/** How long a failure is held back in milliseconds while no other resource is registered. */
const PATIENCE = 2000;

/** The reads of one program. */
interface Reads {
  /** The resources that have started to read. */
  readonly resources: Set<pulumi.Resource>;
  /** What to report of those that fail. */
  readonly failures: Map<pulumi.Resource, readonly string[]>;
  /** Called when one more resource has failed. */
  readonly listeners: Set<() => void>;
}

/** A process of the Automation API runs several programs. */
const programs = new WeakMap<pulumi.Resource, Reads>();

/** Notes that a resource has started to read. */
export function noteRead(resource: pulumi.Resource): void {
  readsOfProgram()?.resources.add(resource);
}

/**
 * Holds a failure back until the other resources are registered, because the engine ends a preview or an update at the first
 * resource that fails. It does not wait for reads that have not started, and gives up once no resource has been registered
 * for two seconds, because a registration may itself wait for the failing resource.
 * @returns what to report of the other resources that failed meanwhile
 */
export async function holdFailure(
  resource: pulumi.Resource,
  name: string,
  reasons: readonly string[],
): Promise<readonly string[]> {
  const reads = readsOfProgram();
  if (reads === undefined) return [];
  const sentences = reasons.map((reason) => `AgentLogConfig '${name}': ${reason}`);
  reads.failures.set(resource, sentences);
  for (const listener of reads.listeners) listener();
  await othersAreRegistered(reads);
  return Array.from(reads.failures).flatMap(([other, others]) => (other === resource ? [] : others));
}

function readsOfProgram(): Reads | undefined {
  const program = pulumi.runtime.getStackResource();
  if (program === undefined) return undefined;
  const reads = programs.get(program) ?? { resources: new Set(), failures: new Map(), listeners: new Set() };
  programs.set(program, reads);
  return reads;
}

function othersAreRegistered({ resources, failures, listeners }: Reads): Promise<void> {
  return new Promise((resolve) => {
    const registered = new Set<pulumi.Resource>();
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      timer = undefined;
      listeners.delete(finishIfDone);
      resolve();
    };
    const finishIfDone = () => {
      if ([...resources].every((resource) => registered.has(resource) || failures.has(resource))) finish();
    };
    timer = setTimeout(finish, PATIENCE);
    listeners.add(finishIfDone);
    for (const resource of resources) {
      resource.urn.apply(() => {
        timer?.refresh();
        registered.add(resource);
        finishIfDone();
      });
    }
    finishIfDone();
  });
}
