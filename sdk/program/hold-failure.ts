import * as pulumi from "@pulumi/pulumi";

/** How long a failure is held back in milliseconds while no other resource is registered. */
const PATIENCE = { independent: 30_000, dependent: 2_000 };

/** The reads of one program. */
interface Reads {
  /** The resources that have started to read, and whether their registration may wait for another resource. */
  readonly resources: Map<pulumi.Resource, keyof typeof PATIENCE>;
  /** What to report of those that fail. */
  readonly failures: Map<pulumi.Resource, readonly string[]>;
  /** Called when one more resource has failed. */
  readonly listeners: Set<() => void>;
}

/** A process of the Automation API runs several programs. */
const programs = new WeakMap<pulumi.Resource, Reads>();

/** Notes that a resource has started to read. It is dependent if its registration may wait for another resource. */
export function noteRead(resource: pulumi.Resource, kind: keyof typeof PATIENCE): void {
  readsOfProgram()?.resources.set(resource, kind);
}

/**
 * Holds a failure back until the other resources are registered, because the engine ends a preview or an update at the first
 * resource that fails. It does not wait for reads that have not started. It gives up once no resource has been registered for
 * 30 seconds, or for two where only resources are left whose registration may itself wait for the failing one.
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
  const reads = programs.get(program) ?? { resources: new Map(), failures: new Map(), listeners: new Set() };
  programs.set(program, reads);
  return reads;
}

function othersAreRegistered({ resources, failures, listeners }: Reads): Promise<void> {
  return new Promise((resolve) => {
    const waiting = new Map(resources);
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      listeners.delete(waitFurther);
      waiting.clear();
      resolve();
    };
    const waitFurther = () => {
      clearTimeout(timer);
      for (const resource of failures.keys()) waiting.delete(resource);
      if (waiting.size === 0) finish();
      else timer = setTimeout(finish, Math.max(...Array.from(waiting.values(), (kind) => PATIENCE[kind])));
    };
    listeners.add(waitFurther);
    for (const resource of resources.keys()) {
      resource.urn.apply(() => {
        if (waiting.delete(resource)) waitFurther();
      });
    }
    waitFurther();
  });
}
