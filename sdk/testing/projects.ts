import { type AgentKind, agentLogConfigId, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";
import { invalidArgument } from "../client/errors.ts";

/** An agent's settings as the service sends them: any JSON object, with every field optional. */
export type ServiceSettings = Readonly<Record<string, unknown>>;

/** The settings of one project. An agent that is left out has no settings. */
export interface ProjectSettings {
  /** Those of the monitoring agent. */
  readonly monitoring?: ServiceSettings | undefined;
  /** Those of the backup agent. */
  readonly backup?: ServiceSettings | undefined;
}

/** The settings of every existing project, by its id of 24 hexadecimal digits. */
export type SettingsByProject = Readonly<Record<string, ProjectSettings>>;

/** The projects that the stand-in knows. */
export class Projects {
  readonly #projects = new Map<string, ProjectSettings>();

  /**
   * Copies the settings.
   * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for an unknown id or agent, and for settings that are not JSON
   */
  constructor(settings: SettingsByProject) {
    for (const [projectId, project] of Object.entries(settings)) {
      for (const agent of ["monitoring", ...Object.keys(project)]) parseAgentLogConfigId(`${projectId}/${agent}`);
      const copies = Object.entries(project).map(([agent, own]) => [agent, copyJson(own, `${projectId}/${agent}`)]);
      this.#projects.set(projectId.toLowerCase(), Object.fromEntries(copies));
    }
  }

  /** Returns the settings of an agent, `{}` where it has none; undefined for an unknown project. */
  read(projectId: string, agent: AgentKind): ServiceSettings | undefined {
    const project = this.#projects.get(projectId.toLowerCase());
    return project && (project[agent] ?? {});
  }

  /** Replaces the settings of one agent by a copy; a project whose last settings are removed is unknown. */
  set(projectId: string, agent: AgentKind, settings: ServiceSettings | undefined): void {
    const id = agentLogConfigId(projectId, agent);
    parseAgentLogConfigId(id);
    const key = projectId.toLowerCase();
    const project = { ...this.#projects.get(key), [agent]: copyJson(settings, id) };
    if (Object.values(project).some((agentSettings) => agentSettings !== undefined)) this.#projects.set(key, project);
    else this.#projects.delete(key);
  }
}

function copyJson(settings: ServiceSettings | undefined, id: string): ServiceSettings | undefined {
  if (settings === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(settings));
  } catch {
    throw invalidArgument(
      `The settings of ${id} can't be sent as JSON; leave out BigInts and objects that contain themselves.`,
    );
  }
}
