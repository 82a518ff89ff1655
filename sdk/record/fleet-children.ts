import { z } from "zod";
import { isUnknown, SIGNATURE_KEY, UNKNOWN } from "../engine/engine-marks.ts";
import { AGENTS, type AgentKind } from "../model/agent-log-config-id.ts";
import { isPlainObject } from "../model/is-object.ts";
import { parseArgument, strictObject } from "../model/parse-argument.ts";
import { printable } from "../model/printable.ts";

/** One agent of one project of a fleet. */
export interface FleetMember {
  /** The user's name for the project; undefined for a project of a list of ids. */
  readonly name: string | undefined;
  /** In lower case if it is known. The children refuse an id that is no text. */
  readonly projectId: unknown;
  readonly agent: AgentKind;
}

/**
 * Returns each known agent of each project. The projects of a list are in its order, and those of a map in the order of their
 * names, because the engine does not keep the order of a map.
 * @param fleet the name of the fleet
 * @param args all arguments of the fleet
 * @param isSecret the lists may be secrets, so no message quotes them if they are invalid
 * @throws AgentLogConfigError for arguments that are invalid
 */
export function fleetMembers(fleet: string, args: object, isSecret: boolean): readonly FleetMember[] {
  const subject = `AgentLogConfigs '${printable(fleet, 80)}' can't be made`;
  const { projectIds, projects, agents } = parseArgument(fleetSchema, args, subject, { isSecret });
  const names = Object.keys(projects ?? {}).sort();
  const entries =
    projectIds?.map((id) => ({ name: undefined, id })) ?? names.map((name) => ({ name, id: projects?.[name] }));
  const knownAgents = (agents ?? AGENTS).filter((agent) => agent !== UNKNOWN);
  return entries.flatMap(({ name, id }) => knownAgents.map((agent) => ({ name, projectId: inLowerCase(id), agent })));
}

/** Returns the id of a project as its children have it. */
export function inLowerCase(id: unknown): unknown {
  return typeof id === "string" ? id.toLowerCase() : id;
}

/** The names of a child. */
export interface ChildNames {
  /** In the output of its fleet. */
  readonly key: string;
  /** Among all resources. */
  readonly name: string;
}

/** @param project what it is called: the user's name for it, or else its id in lower case */
export function childNames(fleet: string, project: string, agent: AgentKind): ChildNames {
  const projectName = printable(project, 80);
  return { key: `${projectName}/${agent}`, name: `${fleet}-${projectName}-${agent}` };
}

const projectsByName = z
  .custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be a map from names to project ids")
  .refine((projects) => Object.keys(projects).every(isName), {
    error: ({ input }) =>
      `has the name ${printable(JSON.stringify(Object.keys(input ?? {}).find((name) => !isName(name))), 80)}; begin with a letter or a digit, and take at most 80 printable characters`,
  });

/** What the arguments must be. Each child judges its own id and the rules. */
const fleetSchema = strictObject({
  projectIds: z.array(z.unknown(), "must be a list").nullish(),
  projects: projectsByName.nullish(),
  agents: z.array(z.enum([...AGENTS, UNKNOWN], 'must be "monitoring" or "backup"'), "must be a list").nullish(),
  expect: z.unknown().optional(),
  whenUnexpected: z.unknown().optional(),
  whenUnavailable: z.unknown().optional(),
})
  .refine(
    ({ projectIds, projects }) => projectIds != null || projects != null,
    "must have projectIds, a list of project ids, or projects, a map from names of your own to project ids",
  )
  .refine(
    ({ projectIds, projects }) => projectIds == null || projects == null,
    "has both projectIds and projects; take one of them out",
  );

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}
