import { AGENTS, type AgentKind } from "../client/agent-log-config-id.ts";
import { invalidArgument } from "../client/errors.ts";
import { isObject } from "../client/is-object.ts";
import { notThis, printable } from "../digest/printable.ts";
import { isUnknown, SIGNATURE_KEY } from "./engine-marks.ts";

/** A project of a fleet: the user's name for it, where it has one, and its id as it was given. */
export type FleetProject = readonly [name: string | undefined, projectId: unknown];

/** The names of the fleets of a run, by the types and names of their children. */
export type FleetsByChild = Map<string, string>;

/** Another name or type under which a child may be recorded. */
export interface ChildAlias<Name = string> {
  readonly name?: Name;
  readonly type?: string;
}

/** Says which children a fleet has, and under which names. Its methods throw an AgentLogConfigError for arguments that can't work. */
export class FleetChildren {
  readonly #fleet: string;
  readonly #types: string;
  readonly #otherType: string;
  readonly #fleets: FleetsByChild;
  readonly #names = new Set<string>();
  /** The children that may be recorded under a name with the project's id in it, by that name: the first of each. */
  readonly #heirs = new Map<string, string>();

  /**
   * @param fleet the name of the fleet
   * @param types the types of the fleet and of its parents: two children of one name differ if these do
   * @param otherType the type that the children have if they are made in the other way, by the plugin or by a program
   */
  constructor(fleet: string, types: string, otherType: string, fleets: FleetsByChild = new Map()) {
    [this.#fleet, this.#types, this.#otherType, this.#fleets] = [fleet, types, otherType, fleets];
  }

  /**
   * Returns the projects. Those of a list are in its order, and those of a map in the order of their names, because the engine
   * does not keep the order of a map.
   */
  projectsOf(projectIds: unknown, projects: unknown): readonly FleetProject[] {
    if (isGiven(projectIds) === isGiven(projects)) {
      throw this.#mistake(
        isGiven(projects)
          ? "projectIds and projects are both given; give one of them"
          : "projectIds and projects are both missing; give projectIds, a list of project ids, or projects, a map from names of your own to project ids",
      );
    }
    if (isGiven(projectIds)) {
      if (Array.isArray(projectIds)) return projectIds.map((id: unknown) => [undefined, id]);
      throw this.#mistake("projectIds must be a list");
    }
    if (!isObject(projects) || Array.isArray(projects)) {
      throw this.#mistake("projects must be a map from names to project ids");
    }
    const names = Object.keys(projects).sort();
    const mistake = names.find((name) => !isName(name));
    if (mistake === undefined) return names.map((name) => [name, projects[name]]);
    const named = printable(JSON.stringify(mistake), 80);
    throw this.#mistake(
      `${named} can't be the name of a project: begin with a letter or a digit, and take at most 80 printable characters`,
    );
  }

  /**
   * Returns the agents, without those that are not known yet.
   * @param isSecret they may be secrets, so that no message may quote them
   */
  agentsOf(agents: unknown, isSecret = true): readonly AgentKind[] {
    if (!Array.isArray(agents)) throw this.#mistake("agents must be a list");
    const known = agents.filter((agent) => !isUnknown(agent));
    if (known.every(isAgent)) return known;
    const wrong = isSecret ? undefined : known.find((agent) => !isAgent(agent));
    throw this.#mistake(`agents must be "monitoring" or "backup"${notThis(wrong)}`);
  }

  /** Refuses what is no rule by which the children are judged. */
  refuseOthers(rules: object): void {
    const mistake = Object.keys(rules).find((name) => !RULES.includes(name));
    if (mistake !== undefined) throw this.#mistake(`${printable(mistake, 80)} is no argument of it`);
  }

  /**
   * Returns the name of another child; undefined if the fleet has it already.
   * @param project its name, or else its id in lower case
   */
  nameOf(project: string, agent: AgentKind): string | undefined {
    const name = `${this.#fleet}-${printable(project, 80)}-${agent}`;
    if (this.#names.has(name)) return undefined;
    const key = `${this.#types}::${name}`;
    const owner = this.#fleets.get(key) ?? this.#fleet;
    if (owner !== this.#fleet) {
      throw this.#mistake(
        `its child ${name} would have the name of a child of AgentLogConfigs '${printable(owner, 80)}'; rename one of the two, or the project`,
      );
    }
    this.#fleets.set(key, owner);
    this.#names.add(name);
    return name;
  }

  /**
   * Returns the name under which a child may be recorded from the time in which its project had no name; undefined if there is
   * none. Of two names of one project, only the first can have been that record.
   * @param projectId in lower case
   */
  formerNameOf(child: string, projectId: string, agent: AgentKind): string | undefined {
    const former = `${this.#fleet}-${printable(projectId, 80)}-${agent}`;
    const heir = this.#heirs.get(former) ?? child;
    this.#heirs.set(former, heir);
    return heir === child && former !== child ? former : undefined;
  }

  /** Returns what else a child may be recorded as: a fleet of the other way has the same children under another type. */
  aliasesOf<Name>(formerName: Name | undefined): ChildAlias<Name>[] {
    const type = this.#otherType;
    return formerName === undefined ? [{ type }] : [{ type }, { name: formerName }, { name: formerName, type }];
  }

  #mistake(why: string): Error {
    return invalidArgument(why, `AgentLogConfigs '${printable(this.#fleet, 80)}' can't be made`);
  }
}

const RULES: readonly string[] = ["expect", "whenUnexpected", "whenUnavailable"];

function isGiven(argument: unknown): boolean {
  return argument !== undefined && argument !== null;
}

function isAgent(value: unknown): value is AgentKind {
  return AGENTS.some((agent) => agent === value);
}

function isName(name: string): boolean {
  return /^[\p{L}\p{N}]/u.test(name) && printable(name, 80) === name && !isUnknown(name) && name !== SIGNATURE_KEY;
}
