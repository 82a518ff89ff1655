import * as pulumi from "@pulumi/pulumi";

/**
 * How long a failure is held back in milliseconds while no other resource is registered: while one is left whose registration
 * does not wait for another, while only such are left that may wait for the failing one, and for reads that start now.
 */
const PATIENCE = { independent: 30_000, dependent: 2_000, next: 250 };

/** The reads of one program. */
interface Reads {
  /** The resources that have started to read, and whether their registration may wait for another resource. */
  readonly resources: Map<pulumi.Resource, "independent" | "dependent">;
  /** What to report of those that fail. */
  readonly failures: Map<pulumi.Resource, readonly string[]>;
  /** Called when one more resource reads or has failed. */
  readonly listeners: Set<() => void>;
}

/** A process of the Automation API runs several programs. */
const programs = new WeakMap<pulumi.Resource, Reads>();

/** Notes that a resource has started to read. It is dependent if its registration may wait for another resource. */
export function noteRead(resource: pulumi.Resource, kind: "independent" | "dependent"): void {
  const reads = readsOfProgram();
  reads?.resources.set(resource, kind);
  for (const listener of reads?.listeners ?? []) listener();
}

/**
 * Holds a failure back until the other resources are registered, because the engine ends a preview or an update at the first
 * resource that fails. It gives up after a while without a registration, because a registration may itself wait for the
 * failing resource.
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
    const watched = new Set<pulumi.Resource>();
    const waiting = new Map<pulumi.Resource, "independent" | "dependent">();
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      listeners.delete(waitFurther);
      waiting.clear();
      resolve();
    };
    const watch = (resource: pulumi.Resource, kind: "independent" | "dependent") => {
      watched.add(resource);
      waiting.set(resource, kind);
      resource.urn.apply(() => {
        if (waiting.delete(resource)) waitFurther();
      });
    };
    const waitFurther = () => {
      clearTimeout(timer);
      for (const [resource, kind] of resources) if (!watched.has(resource)) watch(resource, kind);
      for (const resource of failures.keys()) waiting.delete(resource);
      const kinds = [...waiting.values()];
      const kind = kinds.includes("independent") ? "independent" : (kinds[0] ?? "next");
      timer = setTimeout(finish, PATIENCE[kind]);
    };
    listeners.add(waitFurther);
    waitFurther();
  });
}
