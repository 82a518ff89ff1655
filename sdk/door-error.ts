import { RunError } from "@pulumi/pulumi";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "./client/errors.ts";
import { isObject } from "./client/is-object.ts";

const BRAND = Symbol.for("pulumi-agent-log-config.DoorError");

/**
 * What a failed read rejects with: Pulumi prints its message as one line, whether the read was awaited or its Output is
 * an input of a resource. `instanceof` holds for errors of every installed copy of the package.
 *
 * @example
 * ```ts
 * import { DoorError, getAgentLogConfig } from "pulumi-agent-log-config";
 *
 * const settings = await getAgentLogConfig({ projectId: "0123456789abcdef01234567", agent: "backup" }).catch((error) => {
 *   if (error instanceof DoorError && error.code === "ERR_NOT_AUTOMATED") return undefined;
 *   throw error;
 * });
 * export const logPath = settings?.logPath;
 * ```
 */
export class DoorError extends RunError {
  /** The `code` of the error behind it, which is its `cause`; `ERR_UNKNOWN` for an error that has none. */
  readonly code: AgentLogConfigErrorCode | "ERR_INVALID_ARG_VALUE" | "ERR_UNKNOWN";

  /** @internal */
  protected get [BRAND](): true {
    return true;
  }

  /** Holds for errors of every installed copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isObject(value) && BRAND in value;
  }

  /** @param cause what failed; its message becomes this one's */
  constructor(cause: unknown) {
    const { message } = cause instanceof Error ? cause : new Error(String(cause));
    super(message, { cause });
    this.code = codeOf(cause);
    this.stack = message;
    // For each resource that takes the Output as an input the SDK writes another copy of it before the message.
    Object.defineProperty(this, "message", { get: () => message, set() {}, configurable: true });
  }
}

function codeOf(error: unknown): DoorError["code"] {
  if (error instanceof AgentLogConfigError) return error.code;
  const isCallersMistake = error instanceof TypeError && "code" in error && error.code === "ERR_INVALID_ARG_VALUE";
  return isCallersMistake ? "ERR_INVALID_ARG_VALUE" : "ERR_UNKNOWN";
}
