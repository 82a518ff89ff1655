import { type AgentKind, parseAgentLogConfigId } from "../model/agent-log-config-id.ts";
import { invalidArgument } from "../model/errors.ts";
import { isPlainObject } from "../model/is-object.ts";

/** An agent's settings as the service sends them: any JSON object, with every field optional. */
export type ServiceSettings = Readonly<Record<string, unknown>>;

/** The settings of one project. An agent that is left out has no settings. */
export interface ProjectSettings {
  /** The settings of the monitoring agent. */
  readonly monitoring?: ServiceSettings | undefined;
  /** The settings of the backup agent. */
  readonly backup?: ServiceSettings | undefined;
}

/** The settings of every existing project, by its id of 24 hexadecimal digits. */
export type SettingsByProject = Readonly<Record<string, ProjectSettings>>;

/** The projects that the stand-in knows. Its methods throw an AgentLogConfigError for an id or an agent that can't be. */
export class Projects {
  readonly #projects = new Map<string, ProjectSettings>();

  /** Copies the settings. */
  constructor(settings: SettingsByProject) {
    for (const [projectId, project] of Object.entries(settings)) {
      for (const [agent, own] of Object.entries(project)) this.set(projectId, agent, own);
      // A project without settings exists too.
      if (this.read(projectId, "monitoring") === undefined) this.set(projectId, "monitoring", {});
    }
  }

  /** Returns the settings of an agent, `{}` if it has none; undefined for an unknown project. */
  read(projectId: string, agent: AgentKind): ServiceSettings | undefined {
    const project = this.#projects.get(projectId.toLowerCase());
    return project && (project[agent] ?? {});
  }

  /** Replaces the settings of one agent by a copy; a project whose last settings are removed is unknown. */
  set(projectId: string, agent: string, settings: ServiceSettings | undefined): void {
    const id = parseAgentLogConfigId(`${projectId}/${agent}`);
    const key = id.projectId.toLowerCase();
    const project = { ...this.#projects.get(key), [id.agent]: settings === undefined ? undefined : copyOf(settings) };
    if (Object.values(project).some((agentSettings) => agentSettings !== undefined)) this.#projects.set(key, project);
    else this.#projects.delete(key);
  }
}

function copyOf(settings: unknown): ServiceSettings {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(settings));
    if (isPlainObject(copy)) return copy;
  } catch {}
  throw invalidArgument("The settings must be an object that JSON can hold.");
}
