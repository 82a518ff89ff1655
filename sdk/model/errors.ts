import { types } from "node:util";

/** The values of {@link AgentLogConfigError.code}; the README explains each. */
export type AgentLogConfigErrorCode =
  | "ERR_INVALID_ARG_VALUE"
  | "ERR_INVALID_SETTINGS"
  | "ERR_MISSING_SETTINGS"
  | "ERR_STACK"
  | "ERR_CLIENT_CLOSED"
  | "ERR_CONNECTION"
  | "ERR_PROXY"
  | "ERR_TLS"
  | "ERR_TIMEOUT"
  | "ERR_AUTHENTICATION"
  | "ERR_WRONG_KEY"
  | "ERR_NOT_A_MEMBER"
  | "ERR_ROLE_MISSING"
  | "ERR_ACCESS_LIST"
  | "ERR_PROJECT_NOT_FOUND"
  | "ERR_NOT_AUTOMATED"
  | "ERR_NOT_FOUND"
  | "ERR_ACCOUNT_SUSPENDED"
  | "ERR_UNSUPPORTED"
  | "ERR_RATE_LIMITED"
  | "ERR_UNAVAILABLE"
  | "ERR_REFUSED"
  | "ERR_INVALID_RESPONSE"
  | "ERR_RUNTIME"
  | "ERR_UNKNOWN";

/** The codes of outages: the same read may succeed later although nobody has changed anything. */
const OUTAGES: ReadonlySet<AgentLogConfigErrorCode> = new Set([
  "ERR_CONNECTION",
  "ERR_TIMEOUT",
  "ERR_RATE_LIMITED",
  "ERR_UNAVAILABLE",
]);

/** The code of a failure, what its message says, and whether the service may have refused one project instead. */
export type Diagnosis = readonly [code: AgentLogConfigErrorCode, says: string, isDoubtful?: boolean];

const BRAND = Symbol.for("pulumi-agent-log-config.AgentLogConfigError");

/** What is known about a failed read beside its code and message. A part that does not apply is undefined. */
export interface FailureDetails {
  /** What failed. The message begins with this text. Default: the message itself says what failed. */
  readonly subject?: string | undefined;
  /** The error that caused this one. */
  readonly cause?: Error | undefined;
  /** The higher of the HTTP status and the status in the body. */
  readonly status?: number | undefined;
  /** The service's own code for the refusal, such as `GROUP_NOT_FOUND`. */
  readonly errorCode?: string | undefined;
  /** Seconds to wait before the next request, from 0 to a day (`Retry-After`). */
  readonly retryAfterSeconds?: number | undefined;
  /** @internal What shows it, such as `status 503` and the service's own words; it stands in brackets behind the sentence. */
  readonly evidence?: readonly string[] | undefined;
  /** @internal How often the read was tried, if more than once. */
  readonly attempts?: number | undefined;
  /** @internal What else to do; it stands at the end of the message. */
  readonly advice?: string | undefined;
  /** @internal The key may be right, because the reason of the refusal is lost. */
  readonly isDoubtful?: boolean | undefined;
}

/**
 * The error with which the client, the Pulumi functions and the resource fail. Pulumi prints its message without a stack trace.
 * `instanceof` also holds for errors of another installed copy of the package.
 *
 * @example
 * ```ts
 * import { AgentLogConfigError, getAgentLogConfig } from "pulumi-agent-log-config";
 *
 * const settings = await getAgentLogConfig({ projectId: "0123456789abcdef01234567", agent: "backup" }).catch((error) => {
 *   if (error instanceof AgentLogConfigError && error.code === "ERR_NOT_AUTOMATED") return undefined;
 *   throw error;
 * });
 * export const logPath = settings?.logPath;
 * ```
 */
export class AgentLogConfigError extends Error {
  /** The name of the class. */
  override readonly name: string = "AgentLogConfigError";
  /** One sentence that says what failed, why, and what to do, then a link to the entry of its code, and sometimes further advice. */
  declare message: string;
  /** What went wrong. A code stays the same when the wording of its message changes. */
  readonly code: AgentLogConfigErrorCode;
  /** True for an outage: the same read may succeed later although nobody has changed anything. */
  readonly temporary: boolean;
  /**
   * The higher of the HTTP status and the status in the body of the response. It is undefined if the read failed without a whole
   * response of at most 1 MiB, because the proxy denied the connection, or because of a challenge that this client can't answer.
   */
  readonly status: number | undefined;
  /** The service's own code for the refusal, such as `GROUP_NOT_FOUND`; undefined if it sent none, or only `UNAUTHORIZED`. */
  readonly errorCode: string | undefined;
  /** Seconds to wait before the next request, from 0 to a day (`Retry-After`); undefined if the service does not send them. */
  readonly retryAfterSeconds: number | undefined;
  /** The error that caused this one; undefined if no other error caused it. */
  declare readonly cause?: Error | undefined;
  /** @internal What it was made with; `says` is why it failed and what to do, alike for all failures of one cause. */
  declare readonly details: FailureDetails & { readonly says: string };

  static {
    // Pulumi recognizes errors that it prints without a stack trace by this property.
    for (const mark of ["__pulumiRunError", BRAND]) {
      Object.defineProperty(AgentLogConfigError.prototype, mark, { value: true });
    }
  }

  /** Holds for errors of every installed copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /**
   * @param code what went wrong
   * @param message one sentence, or the end of one that begins with `details.subject`; a link to the code's entry in the
   * documentation is appended
   * @param details what else is known about the failure
   */
  constructor(code: AgentLogConfigErrorCode, message: string, details: FailureDetails = {}) {
    const { subject, cause, status, errorCode, retryAfterSeconds, advice } = details;
    const sentence = subject === undefined ? message : `${subject}: ${withEvidence(message, details)}.`;
    const link = `See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}.`;
    super([sentence, link, advice].filter(Boolean).join(" "), cause && { cause });
    this.code = code;
    this.temporary = OUTAGES.has(code);
    this.status = status;
    this.errorCode = errorCode;
    this.retryAfterSeconds = retryAfterSeconds;
    Object.defineProperty(this, "details", { value: { ...details, says: message } });
  }

  /** @internal Returns the same failure with other details. */
  with(changes: FailureDetails): AgentLogConfigError {
    return new AgentLogConfigError(this.code, this.details.says, { ...this.details, ...changes });
  }

  /** @internal Returns the same failure with one more sentence at the end of its message. */
  withAdvice(sentence: string): AgentLogConfigError {
    return this.with({ advice: [this.details.advice, sentence].filter(Boolean).join(" ") });
  }
}

/** Returns why something failed, with what shows it. */
export function withEvidence(says: string, { evidence = [], attempts }: FailureDetails): string {
  const all = [...evidence, ...(attempts === undefined ? [] : [`after ${attempts} attempts`])];
  return all.length === 0 ? says : `${says} (${all.join(", ")})`;
}

/** Returns what shows an error in a word or two: its status, the code of the connection, or else that of the package. */
export function shortEvidence({ code, status, details }: AgentLogConfigError): string {
  const connectionCode = details.evidence?.find((each) => /^[A-Z][A-Z_\d]+$/.test(each));
  return status === undefined ? (connectionCode ?? code) : `status ${status}`;
}

/**
 * Returns what was thrown as an error of this package. Anything else is a defect of the package, and gets the code `ERR_UNKNOWN`.
 * @param subject what failed; the message begins with it
 */
export function errorOf(thrown: unknown, subject?: string): AgentLogConfigError {
  if (thrown instanceof AgentLogConfigError) return thrown;
  const cause = types.isNativeError(thrown) ? thrown : new Error(String(thrown));
  return new AgentLogConfigError("ERR_UNKNOWN", cause.message, { subject, cause });
}

/**
 * Returns the error for a mistake of the caller, which is reported before anything is sent.
 * @param subject what failed; the message begins with it
 */
export function invalidArgument(message: string, subject?: string): AgentLogConfigError {
  return new AgentLogConfigError("ERR_INVALID_ARG_VALUE", message, { subject });
}
