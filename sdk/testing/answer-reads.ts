import { agentLogConfigId } from "../client/agent-log-config-id.ts";
import { decodeAgentLogSettings } from "../client/decode-agent-log-settings.ts";
import type { AgentLogConfigError } from "../client/errors.ts";
import { parseArgument } from "../client/parse-argument.ts";
import { readServiceVersion } from "../client/read-response.ts";
import { readArgumentsSchema } from "../client/schemas.ts";
import { serviceError } from "../client/service-error.ts";
import { replaceClients } from "../shared/read-settings.ts";
import { Projects, type SettingsByProject } from "./projects.ts";
import { contentOfRead, VERSION_HEADER } from "./respond.ts";

/**
 * Answers every read of this process from these settings, without HTTP and without connection settings: for unit tests
 * with `pulumi.runtime.setMocks`. It applies to functions and resources, with any provider, and not to clients that
 * you create. Arguments and settings are validated as usual, and a project that is left out is not found.
 *
 * @param settings the projects that exist; they are copied
 * @param options what to do with resources that fail
 * @returns a function that restores real reads, unless `answerReads` was called again since
 * @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for an unknown id or agent, and for settings that are not JSON
 * @example
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { getAgentLogConfig } from "pulumi-agent-log-config";
 * import { answerReads } from "pulumi-agent-log-config/testing";
 *
 * await pulumi.runtime.setMocks({
 *   newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
 *   call: () => ({}),
 * });
 * const end = answerReads({ "0123456789abcdef01234567": { backup: { logPath: "/var/log/backup-agent.log" } } });
 * const { logPath } = await getAgentLogConfig({ projectId: "0123456789abcdef01234567", agent: "backup" });
 * end();
 * ```
 */
export function answerReads(settings: SettingsByProject, { onFailure }: AnswerReadsOptions = {}): () => void {
  const projects = new Projects(settings);
  return replaceClients({
    onFailure,
    async get(args) {
      const { projectId, agent } = parseArgument(readArgumentsSchema, args, "Nothing was read");
      const subject = `Can't read the ${agent} agent's log settings of project ${projectId} from answerReads`;
      const { status, content } = contentOfRead(projectId, agent, projects);
      if (status !== 200) throw serviceError(status, content, subject);
      const read = decodeAgentLogSettings(content, subject);
      const id = agentLogConfigId(projectId, agent);
      return { id, projectId, agent, ...read, serviceVersion: readServiceVersion(VERSION_HEADER) };
    },
  });
}

/** What a unit test wants to know besides the settings. */
export interface AnswerReadsOptions {
  /**
   * Takes the error of each resource that fails, such as one whose settings are not as `expect` says (`ERR_UNEXPECTED`).
   * Default: none, so that the error is an unhandled rejection, which fails the test.
   */
  readonly onFailure?: ((error: AgentLogConfigError) => void) | undefined;
}
