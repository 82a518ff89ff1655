import { type Advice, AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../model/is-object.ts";
import { printable } from "../model/printable.ts";

/** What the headers of a refusal say. */
export interface RefusalHeaders {
  readonly retryAfterSeconds?: number | undefined;
  /** Without a challenge no credentials were sent; a stale one says that the nonce was too old (RFC 7616, section 3.3). */
  readonly challenge?: { readonly stale: boolean } | undefined;
}

/**
 * Says what an error of the service means and what to do about it.
 * @param status the highest of the HTTP status and those in the body; it may be that of a success
 * @param body the parsed body, if it was JSON
 * @param subject what failed
 */
export function serviceError(
  status: number,
  body: unknown,
  subject: string,
  { retryAfterSeconds, challenge }: RefusalHeaders = {},
): AgentLogConfigError {
  const { errorCode: word, detail, reason }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
  const errorCode = typeof word === "string" ? printable(word, 100) : undefined;
  const sentence = [detail, reason].find((text) => typeof text === "string")?.replace(/\.$/, "");
  const [code, advice] = adviceOn(status, errorCode, challenge);
  // The service's own time is better than a guess.
  const says = retryAfterSeconds ? advice.replace(LATER, `in ${Math.ceil(retryAfterSeconds)} s`) : advice;
  const itsWords = [errorCode, sentence && printable(sentence)].filter((text) => text !== undefined).join(": ");
  const message = `${says} (status ${status}${itsWords === "" ? "" : `, ${itsWords}`})`;
  return new AgentLogConfigError(code, message, { subject, status, errorCode, retryAfterSeconds, reason: advice });
}

function adviceOn(status: number, errorCode: string | undefined, challenge: RefusalHeaders["challenge"]): Advice {
  if (status === 401 && challenge?.stale === true) {
    return ["ERR_UNAVAILABLE", "the service rejects every nonce as too old; try again later"];
  }
  const known = status < 500 && errorCode !== undefined ? ADVICE_BY_ERROR_CODE.get(errorCode) : undefined;
  // With status 401, too, a code of the service answers a key that it knows.
  if (known !== undefined) return known;
  if (status === 401 && challenge === undefined) {
    return ["ERR_AUTHENTICATION", "the server does not ask for HTTP Digest; check baseUrl and any proxy"];
  }
  if (status < 400) {
    return ["ERR_INVALID_RESPONSE", "the response is an error in spite of its status; check baseUrl and any proxy"];
  }
  if (status < 500) return ADVICE_BY_STATUS[status] ?? REFUSED;
  return ADVICE_BY_STATUS[status] ?? ["ERR_UNAVAILABLE", "the service failed; try again later"];
}

/** Tells whether the service is known to name this code. It does so only to those whose key it knows. */
export function isServiceCode(errorCode: unknown): boolean {
  return typeof errorCode === "string" && ADVICE_BY_ERROR_CODE.has(errorCode);
}

const WRONG_KEY: Advice = ["ERR_WRONG_KEY", "the service refuses the key pair; check publicKey and privateKey"];
const REFUSED: Advice = [
  "ERR_REFUSED",
  "the service refuses the read; check the address in baseUrl, and read the log of the service",
];
const LATER = /\b(?:later|in a minute)\b/;
const RATE_LIMITED: Advice = [
  "ERR_RATE_LIMITED",
  "too many requests; try again in a minute, or read fewer projects at once",
];
const NOT_ON_ACCESS_LIST: Advice = [
  "ERR_ACCESS_LIST",
  "the address of this machine is not on the key's access list; add it there",
];
const NO_SUCH_PROJECT: Advice = ["ERR_PROJECT_NOT_FOUND", "there is no such project; check projectId"];
const NOT_AUTOMATED = "the project is not managed by automation; enable automation for it";
const NOT_A_MEMBER =
  "the owner of the key is not a member of the project, or the project does not exist; check projectId, and invite the key";

// The contract names no error codes. These were seen in responses of services of this kind, and in their clients.
const ADVICE_BY_ERROR_CODE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ["NOT_IN_GROUP", ["ERR_NOT_A_MEMBER", NOT_A_MEMBER]],
  ["USER_UNAUTHORIZED", ["ERR_ROLE_MISSING", "the key lacks a role; give it Project Automation Admin on this project"]],
  ["NO_CURRENT_USER", ["ERR_WRONG_KEY", "the owner of the key no longer exists; create and set a new key pair"]],
  ["IP_ADDRESS_NOT_ON_ACCESS_LIST", NOT_ON_ACCESS_LIST],
  ["IP_ADDRESS_NOT_ON_WHITELIST", NOT_ON_ACCESS_LIST],
  ["INVALID_QUERY_PARAMETER", ["ERR_REFUSED", "a query parameter is unknown; leave out envelope and pretty"]],
  ["RATE_LIMITED", RATE_LIMITED],
  ["RATE_LIMITED_IP", RATE_LIMITED],
  ["ACCOUNT_SUSPENDED", ["ERR_ACCOUNT_SUSPENDED", "the account is suspended; ask its owner to reactivate it"]],
  [
    "FEATURE_UNSUPPORTED",
    ["ERR_UNSUPPORTED", "the service offers no such read; ask its operator to enable automation"],
  ],
  ["UNSUPPORTED_FOR_CURRENT_PLAN", ["ERR_UNSUPPORTED", "the project's plan excludes this read; change the plan"]],
  ["UNSUPPORTED_FOR_CURRENT_CONFIG", ["ERR_UNSUPPORTED", NOT_AUTOMATED]],
  ["INVALID_GROUP_ID", NO_SUCH_PROJECT],
  ["GROUP_NOT_FOUND", NO_SUCH_PROJECT],
  ["AUTOMATION_CONFIG_NOT_FOUND", ["ERR_NOT_AUTOMATED", NOT_AUTOMATED]],
  ["RESOURCE_NOT_FOUND", ["ERR_NOT_FOUND", "the path is unknown; check the path of baseUrl and the service's version"]],
]);

const ADVICE_BY_STATUS: Readonly<Record<number, Advice>> = {
  400: ["ERR_REFUSED", "the service does not understand the request; check the scheme and the port of baseUrl"],
  401: WRONG_KEY,
  402: ["ERR_ACCOUNT_SUSPENDED", "payment is required; ask the owner of the account to settle it"],
  403: [
    "ERR_REFUSED",
    "the service does not allow this key to read; give it Project Automation Admin on this project, and check its access list",
  ],
  404: ["ERR_NOT_FOUND", "the service has nothing at this address; check projectId and baseUrl"],
  // Servers send it on a connection that they close because it was idle (RFC 9110, section 15.5.9).
  408: ["ERR_UNAVAILABLE", "the server closed the connection because no request came in time; try again later"],
  429: RATE_LIMITED,
  500: ["ERR_UNAVAILABLE", "the service failed; try again later, and read its log if that does not help"],
  502: ["ERR_UNAVAILABLE", "a gateway in front of the service got no response from it; try again later"],
  503: ["ERR_UNAVAILABLE", "the service is overloaded or under maintenance; try again later"],
  504: ["ERR_UNAVAILABLE", "a gateway in front of the service got no response in time; try again later"],
};
