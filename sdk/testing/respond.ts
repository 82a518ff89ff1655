import { PREFIX } from "../model/connection-options.ts";
import { invalidArgument } from "../model/errors.ts";
import { type AgentKind, parseAgentLogConfigId } from "../model/read-arguments.ts";
import { isPlainObject } from "../text/json.ts";
import type { CannedResponse } from "./request-handler.ts";

/** The header in which the service reports its version. */
const VERSION_HEADER = {
  "X-Example-Service-Version":
    "gitHash=0123456789abcdef0123456789abcdef01234567; versionString=7.0.11.100.20260115T1200Z",
};

/** Returns the response to a request that has been authenticated. */
export function respond(method: string, target: string, projects: Projects): CannedResponse {
  const [path = "", query] = target.split("?", 2);
  const parameters = new URLSearchParams(query);
  const pretty = parameters.get("pretty") === "true";
  const envelope = parameters.get("envelope") === "true";
  const { status, content } = method === "GET" ? contentOf(path, projects) : NOT_ALLOWED;
  // With an envelope every response has status 200, and the body carries the status of the read.
  const body = envelope ? { status, content } : content;
  return {
    status: envelope ? 200 : status,
    headers: { "Content-Type": "application/json", ...VERSION_HEADER },
    body: JSON.stringify(body, null, pretty ? 2 : undefined),
  };
}

/** Returns the response to a request without valid credentials. */
export function unauthorized(challenge: string): CannedResponse {
  return {
    status: 401,
    headers: { "Content-Type": "application/json;charset=ISO-8859-1", "WWW-Authenticate": challenge },
    body: JSON.stringify({ error: 401, reason: "Unauthorized", detail: "You are not authorized for this resource." }),
  };
}

interface Content {
  readonly status: number;
  readonly content: unknown;
}

const READ_PATH = new RegExp(`^${PREFIX}/groups/([0-9a-fA-F]{24})/automationConfig/(monitoring|backup)AgentConfig$`);

function contentOf(path: string, projects: Projects): Content {
  const [, projectId, agent] = READ_PATH.exec(path) ?? [];
  if (projectId === undefined || (agent !== "monitoring" && agent !== "backup")) {
    return errorContent(404, "Not Found", "RESOURCE_NOT_FOUND", `Cannot find resource ${path}.`);
  }
  const settings = projects.read(projectId, agent);
  if (settings !== undefined) return { status: 200, content: settings };
  return errorContent(404, "Not Found", "GROUP_NOT_FOUND", `No group with ID ${projectId} exists.`);
}

const NOT_ALLOWED = errorContent(405, "Method Not Allowed", "METHOD_NOT_ALLOWED", "Only GET is supported.");

function errorContent(status: number, reason: string, errorCode: string, detail: string): Content {
  return { status, content: { error: status, reason, errorCode, detail } };
}

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

  constructor(settings: SettingsByProject) {
    for (const [projectId, project] of Object.entries(settings)) {
      for (const [agent, agentSettings] of Object.entries(project)) this.set(projectId, agent, agentSettings);
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
