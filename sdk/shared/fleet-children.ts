import { z } from "zod";
import { AGENTS, type AgentKind } from "../client/agent-log-config-id.ts";
import { isPlainObject } from "../client/is-object.ts";
import { parseArgument, strictObject } from "../client/parse-argument.ts";
import { printable } from "../client/printable.ts";
import { isUnknown, SIGNATURE_KEY, UNKNOWN } from "./engine-marks.ts";

/** What a fleet reads: each agent of each project. */
export interface FleetMembers {
  /** The user's name for each project, where it has one, and its id as it was given. */
  readonly projects: readonly (readonly [name: string | undefined, projectId: unknown])[];
  readonly agents: readonly AgentKind[];
}

/** Says which children a fleet has, and under which names. Its methods throw an AgentLogConfigError for arguments that can't work. */
export class FleetChildren {
  readonly #fleet: string;
  readonly #names = new Set<string>();

  /** @param fleet the name of the fleet */
  constructor(fleet: string) {
    this.#fleet = fleet;
  }

  /**
   * Returns the projects, and the agents that are known. The projects of a list are in its order, and those of a map in the order
   * of their names, because the engine does not keep the order of a map.
   * @param args all arguments of the fleet
   * @param isSecret the lists may be secrets, so that no message may quote them
   */
  membersOf(args: object, isSecret: boolean): FleetMembers {
    const { projectIds, projects, agents } = parseArgument(fleetSchema, args, this.#subject, { isSecret });
    const names = Object.keys(projects ?? {}).sort();
    return {
      projects: projectIds?.map((id) => [undefined, id]) ?? names.map((name) => [name, projects?.[name]]),
      agents: (agents ?? AGENTS).filter((agent) => agent !== UNKNOWN),
    };
  }

  /**
   * Returns the name of another child; undefined if the fleet has it already.
   * @param project its name, or else its id in lower case
   */
  nameOf(project: string, agent: AgentKind): string | undefined {
    const name = `${this.#fleet}-${printable(project, 80)}-${agent}`;
    if (this.#names.has(name)) return undefined;
    this.#names.add(name);
    return name;
  }

  get #subject(): string {
    return `AgentLogConfigs '${printable(this.#fleet, 80)}' can't be made`;
  }
}

const projectsByName = z
  .custom<Readonly<Record<string, unknown>>>(isPlainObject, "must be a map from names to project ids")
  .refine((projects) => Object.keys(projects).every(isName), {
    error: ({ input }) =>
      `has the name ${printable(JSON.stringify(Object.keys(input ?? {}).find((name) => !isName(name))), 80)}; begin with a letter or a digit, and take at most 80 printable characters`,
  });

/** The kinds of the arguments. Each child judges its own id and the rules. */
const fleetSchema = strictObject({
  projectIds: z.array(z.unknown(), "must be a list").nullish(),
  projects: projectsByName.nullish(),
  agents: z.array(z.enum([...AGENTS, UNKNOWN], 'must be "monitoring" or "backup"'), "must be a list").nullish(),
  expect: z.unknown().optional(),
  whenUnexpected: z.unknown().optional(),
  whenUnavailable: z.unknown().optional(),
}).refine(
  ({ projectIds, projects }) => (projectIds == null) !== (projects == null),
  "give either projectIds, a list of project ids, or projects, a map from names of your own to project ids",
);

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}
