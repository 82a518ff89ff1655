import { type Agent, agentLogConfigId, parseAgentLogConfigId } from "../client/agent-log-config-id.ts";

/** What an agent's settings look like on the wire: any JSON object, every field of it optional (contract, section 2.1). */
export type ServiceSettings = Readonly<Record<string, unknown>>;

/** The settings of one project. An agent that is left out has every field absent. */
export interface ProjectSettings {
  /** Those of the monitoring agent. */
  readonly monitoring?: ServiceSettings | undefined;
  /** Those of the backup agent. */
  readonly backup?: ServiceSettings | undefined;
}

/** The settings of every project that there is, by its id of 24 hexadecimal digits. */
export type SettingsByProject = Readonly<Record<string, ProjectSettings>>;

/** The projects that the stand-in knows. */
export class Projects {
  readonly #projects = new Map<string, ProjectSettings>();

  /** @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for an id or an agent that can't be read */
  constructor(settings: SettingsByProject) {
    for (const [projectId, project] of Object.entries(settings)) {
      for (const agent of ["monitoring", ...Object.keys(project)]) parseAgentLogConfigId(`${projectId}/${agent}`);
      this.#projects.set(projectId.toLowerCase(), project);
    }
  }

  /** The settings of an agent, `{}` where there are none; undefined where there is no such project. */
  read(projectId: string, agent: Agent): ServiceSettings | undefined {
    const project = this.#projects.get(projectId.toLowerCase());
    return project && (project[agent] ?? {});
  }

  /** Replaces the settings of one agent; a project whose last settings are removed is gone. */
  set(projectId: string, agent: Agent, settings: ServiceSettings | undefined): void {
    parseAgentLogConfigId(agentLogConfigId(projectId, agent));
    const key = projectId.toLowerCase();
    const project = { ...this.#projects.get(key), [agent]: settings };
    if (Object.values(project).some((agentSettings) => agentSettings !== undefined)) this.#projects.set(key, project);
    else this.#projects.delete(key);
  }
}
