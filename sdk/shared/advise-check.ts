import { AgentLogConfigError, CODES } from "../client/errors.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

/**
 * Rejects with an error that names the command that tries a connection step by step. The command knows the stack's settings,
 * not the arguments of a Provider, and not what a program of the Automation API sets.
 * @param stack its name; undefined where there is none
 */
export function adviseCheck(
  error: unknown,
  connection: ConnectionSettings,
  args: object,
  stack: string | undefined,
): never {
  const sources = Object.values(connection).flatMap((found) => found?.source ?? []);
  const isKnown = sources.length > 0 && !sources.includes("argument") && !process.env["PULUMI_AUTOMATION_API"];
  if (error instanceof AgentLogConfigError && CODES[error.code].connection && isKnown && stack !== undefined) {
    const option = sources.includes("stack") ? ` --stack ${stack}` : "";
    const command = `npx pulumi-agent-log-config check --project ${Reflect.get(args, "projectId")}${option}`;
    error.message += ` \`${command}\` says which step of the connection fails.`;
  }
  throw error;
}
