import { isObject } from "../client/is-object.ts";
import { printable } from "../digest/printable.ts";
import { isUnknown, SIGNATURE_KEY } from "./engine-marks.ts";

/** A project of a fleet: the user's name for it, where it has one, and its id as it was given. */
export type FleetProject = readonly [name: string | undefined, projectId: unknown];

/**
 * Returns the projects of a fleet, or what is wrong with the arguments that say which they are. Those of a list are in its
 * order, and those of a map in the order of their names, because the engine does not keep the order of a map.
 */
export function fleetProjects(projectIds: unknown, projects: unknown): readonly FleetProject[] | string {
  if (isGiven(projectIds) === isGiven(projects)) {
    return isGiven(projects)
      ? "projectIds and projects are both given; give one of them"
      : "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of your own to project ids";
  }
  if (isGiven(projectIds)) {
    return Array.isArray(projectIds) ? projectIds.map((id: unknown) => [undefined, id]) : "projectIds must be a list";
  }
  if (!isObject(projects) || Array.isArray(projects)) return "projects must be a map from names to project ids";
  const names = Object.keys(projects).sort();
  const mistake = names.find((name) => !isName(name));
  if (mistake === undefined) return names.map((name) => [name, projects[name]]);
  const named = printable(JSON.stringify(mistake), 80);
  return `${named} can't be the name of a project: begin with a letter or a digit, and take at most 80 printable characters`;
}

function isGiven(argument: unknown): boolean {
  return argument !== undefined && argument !== null;
}

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}

/** Names the children of a fleet. */
export class ChildNames {
  readonly #fleet: string;
  /** The first child of each project and agent, by the name that it has without a name of its project. */
  readonly #first = new Map<string, string>();

  constructor(fleet: string) {
    this.#fleet = fleet;
  }

  /**
   * Returns the name of a child, and if its project has a name, the one under which it may have been recorded before. Two
   * children can't both have been the one that had the project's id in its name.
   * @param projectId in lower case
   */
  of(project: string | undefined, projectId: string, agent: string) {
    const unnamed = `${this.#fleet}-${printable(`${projectId}-${agent}`, 80)}`;
    const childName = project === undefined ? unnamed : `${this.#fleet}-${project}-${agent}`;
    const first = this.#first.get(unnamed) ?? childName;
    this.#first.set(unnamed, first);
    return { childName, formerName: project !== undefined && first === childName ? unnamed : undefined };
  }
}
