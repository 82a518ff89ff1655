import { isObject } from "./is-object.ts";

/** What went wrong, as {@link AgentLogConfigError.code} says it. */
export type AgentLogConfigErrorCode =
  /** Connection settings are missing; the message names them all and the places to put them. */
  | "ERR_MISSING_SETTINGS"
  /** The service can't be reached: name, route, port, proxy, or a connection that was cut. */
  | "ERR_CONNECTION"
  /** The proxy refuses: it wants credentials or other ones, or does not let this client through to the service. */
  | "ERR_PROXY"
  /** The service's certificate is not trusted, or the port speaks no TLS. */
  | "ERR_TLS"
  /** The read took longer than `timeoutSeconds`. */
  | "ERR_TIMEOUT"
  /** The service asks for a kind of authentication that this client can't give, or failed to prove itself. */
  | "ERR_AUTHENTICATION"
  /** The key pair is wrong, or nobody's any more. */
  | "ERR_WRONG_KEY"
  /** The key belongs to no member of the project, or there is no such project. */
  | "ERR_NOT_A_MEMBER"
  /** The key lacks the role Project Automation Admin. */
  | "ERR_ROLE_MISSING"
  /** The caller's address is not on the key's access list. */
  | "ERR_ACCESS_LIST"
  /** The service itself says that it has no such project. */
  | "ERR_PROJECT_NOT_FOUND"
  /** The project has no automation configuration, and so no agents to configure. */
  | "ERR_NOT_AUTOMATED"
  /** 404 for another reason, most often a wrong `baseUrl`. */
  | "ERR_NOT_FOUND"
  /** The account that the project belongs to is suspended. */
  | "ERR_ACCOUNT_SUSPENDED"
  /** The plan, or the configuration, of the project does not include this read. */
  | "ERR_UNSUPPORTED"
  /** Too many requests. */
  | "ERR_RATE_LIMITED"
  /** 5xx: the service failed or is being maintained. */
  | "ERR_UNAVAILABLE"
  /** Any other refusal. */
  | "ERR_REFUSED"
  /** The answer is no JSON, too long, or not of the shape of the contract, section 2.1. */
  | "ERR_INVALID_RESPONSE";

const TEMPORARY: ReadonlySet<AgentLogConfigErrorCode> = new Set([
  "ERR_CONNECTION",
  "ERR_TIMEOUT",
  "ERR_RATE_LIMITED",
  "ERR_UNAVAILABLE",
]);

const BRAND = Symbol.for("pulumi-agent-log-config.AgentLogConfigError");
const SERVICE_BRAND = Symbol.for("pulumi-agent-log-config.ServiceError");

/**
 * Base class of what the client throws, a caller's own mistakes (TypeError) excepted. What the Pulumi functions throw has it
 * as its `cause`, and the same `code`. `instanceof` holds for errors of every installed copy of the package.
 *
 * @example
 * ```ts
 * import { AgentLogConfigClient, AgentLogConfigError } from "pulumi-agent-log-config/client";
 *
 * async function logPathOf(client: AgentLogConfigClient, projectId: string): Promise<string | undefined> {
 *   try {
 *     return (await client.get({ projectId, agent: "monitoring" })).logPath;
 *   } catch (error) {
 *     if (error instanceof AgentLogConfigError && error.code === "ERR_PROJECT_NOT_FOUND") return undefined;
 *     throw error;
 *   }
 * }
 * ```
 */
export class AgentLogConfigError extends Error {
  /** The name of the class. */
  override readonly name: string = "AgentLogConfigError";
  /** What went wrong; it does not change with the wording of the message. */
  readonly code: AgentLogConfigErrorCode;
  /** @internal */
  protected get [BRAND](): true {
    return true;
  }

  /** Holds for errors of every installed copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass is left to the language
    return this === AgentLogConfigError ? isObject(value) && BRAND in value : super[Symbol.hasInstance](value);
  }

  /**
   * @param code what went wrong
   * @param message to which a link to the code's entry in the documentation is added
   * @param options the error behind it, as `cause`
   */
  constructor(code: AgentLogConfigErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(withLink(message, code), options);
    this.code = code;
  }

  /** An outage: the same read may succeed later without anybody changing anything. */
  get temporary(): boolean {
    return TEMPORARY.has(this.code);
  }
}

/**
 * The service answered, but with a refusal.
 *
 * @see the contract, section 7
 * @example
 * ```ts
 * import { ServiceError } from "pulumi-agent-log-config/client";
 *
 * function secondsToWait(error: unknown): number | undefined {
 *   return error instanceof ServiceError && error.status === 429 ? (error.retryAfterSeconds ?? 60) : undefined;
 * }
 * ```
 */
export class ServiceError extends AgentLogConfigError {
  /** The name of the class. */
  override readonly name = "ServiceError";
  /** The HTTP status, or the one in the envelope where that is worse. */
  readonly status: number;
  /** The service's own word for it, such as `GROUP_NOT_FOUND`; undefined where it sent none. */
  readonly errorCode: string | undefined;
  /** Seconds that the service asks to wait before the next request (`Retry-After`), 0 or more; undefined where it does not. */
  readonly retryAfterSeconds: number | undefined;
  /** @internal */
  protected get [SERVICE_BRAND](): true {
    return true;
  }

  /** Holds for errors of every installed copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass is left to the language
    return this === ServiceError ? isObject(value) && SERVICE_BRAND in value : super[Symbol.hasInstance](value);
  }

  /**
   * @param code what went wrong
   * @param message to which a link to the code's entry in the documentation is added
   * @param answer the status and what else the service said
   */
  constructor(
    code: AgentLogConfigErrorCode,
    message: string,
    answer: { status: number; errorCode: string | undefined; retryAfterSeconds: number | undefined },
  ) {
    super(code, message);
    this.status = answer.status;
    this.errorCode = answer.errorCode;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** A mistake of the caller: thrown before anything is sent. */
export function invalidArgument(message: string): TypeError {
  const code = "ERR_INVALID_ARG_VALUE";
  return Object.assign(new TypeError(withLink(message, code)), { code });
}

function withLink(message: string, code: string): string {
  return `${message} See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}`;
}
