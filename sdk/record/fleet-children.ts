import { z } from "zod";
import { isUnknown, SIGNATURE_KEY, UNKNOWN } from "../engine/engine-marks.ts";
import { isPlainObject } from "../model/json.ts";
import { parseArgument, strictObject } from "../model/parse-argument.ts";
import { printable } from "../model/printable.ts";
import { AGENTS, type AgentKind } from "../model/read-arguments.ts";

/** A child of a fleet: one agent of one project. */
export interface FleetChild {
  /** In the output of its fleet. */
  readonly key: string;
  /** Among all resources. */
  readonly childName: string;
  /** The user's name for the project. */
  readonly name: string;
  /** The child itself refuses an id that is none. */
  readonly projectId: unknown;
  readonly agent: AgentKind;
}

/**
 * Returns a child for each known agent of each project, in the order of the names of the projects, because the engine does not keep
 * the order of a map.
 * @param isSecret the projects or the agents may be secrets, so no message quotes them if they are invalid
 */
export function fleetChildren(fleet: string, args: object, isSecret: boolean): readonly FleetChild[] {
  const subject = `AgentLogConfigs '${printable(fleet, 80)}' can't be made`;
  const { projects, agents } = parseArgument(fleetSchema, args, subject, { isSecret });
  const knownAgents = [...new Set(agents ?? AGENTS)].filter((agent) => agent !== UNKNOWN);
  const names = Object.keys(projects).sort();
  return names.flatMap((name) =>
    knownAgents.map((agent) => {
      return {
        key: `${name}/${agent}`,
        childName: `${fleet}-${name}-${agent}`,
        name,
        projectId: projects[name],
        agent,
      };
    }),
  );
}

const projectsSchema = z
  .custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be a map from names to project ids")
  .refine((projects) => Object.keys(projects).every(isName), {
    error: ({ input }) =>
      `has the name ${printable(JSON.stringify(Object.keys(input ?? {}).find((name) => !isName(name))), 80)}; begin with a letter or a digit, and take at most 80 printable characters`,
  });

/** Each child judges its own id and the rules. */
const fleetSchema = strictObject({
  projects: projectsSchema,
  agents: z.array(z.enum([...AGENTS, UNKNOWN], 'must be "monitoring" or "backup"'), "must be a list").nullish(),
  expect: z.unknown().optional(),
  whenUnexpected: z.unknown().optional(),
  whenUnavailable: z.unknown().optional(),
});

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}
