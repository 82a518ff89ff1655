import { isIP } from "node:net";
import type { WireResponse } from "../digest/signed-request.ts";
import { type Advice, AgentLogConfigError } from "../model/errors.ts";
import { isObject } from "../model/is-object.ts";
import { printable } from "../model/printable.ts";

/** What is known of a refusal beside its status and its body. */
export interface RefusalFacts {
  readonly retryAfterSeconds?: number | undefined;
  readonly refusal?: WireResponse["refusal"];
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
  { retryAfterSeconds, refusal }: RefusalFacts = {},
): AgentLogConfigError {
  const { errorCode: word, detail, reason, parameters }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
  const errorCode = typeof word === "string" ? printable(word, 100) : undefined;
  const sentence = [detail, reason].find((text) => typeof text === "string")?.replace(/\.$/, "");
  const [code, advice] = adviceOn(status, errorCode, refusal);
  // The time that the service names is better than the word "later".
  const timedAdvice = retryAfterSeconds ? advice.replace(LATER, `in ${Math.ceil(retryAfterSeconds)} s`) : advice;
  const address = code === "ERR_ACCESS_LIST" ? addressIn(parameters) : undefined;
  const says = address === undefined ? timedAdvice : timedAdvice.replace(OWN_ADDRESS, `the address ${address}`);
  const itsWords = [errorCode, sentence && printable(sentence)].filter((text) => text !== undefined).join(": ");
  const message = `${says} (status ${status}${itsWords === "" ? "" : `, ${itsWords}`})`;
  return new AgentLogConfigError(code, message, { subject, status, errorCode, retryAfterSeconds, reason: advice });
}

function adviceOn(status: number, errorCode: string | undefined, refusal: RefusalFacts["refusal"]): Advice {
  if (status === 401 && refusal === "nonce") {
    return ["ERR_UNAVAILABLE", "the service rejects every nonce of its own; try again later"];
  }
  const specificAdvice = status < 500 && errorCode !== undefined ? ADVICE_BY_ERROR_CODE.get(errorCode) : undefined;
  if (specificAdvice !== undefined) return specificAdvice;
  if (status === 401 && refusal === undefined) {
    return ["ERR_AUTHENTICATION", "the server does not ask for HTTP Digest; check baseUrl and any proxy"];
  }
  if (status === 401 && errorCode !== undefined) return ["ERR_REFUSED", REFUSES_THIS_PROJECT];
  if (status < 400) {
    return ["ERR_INVALID_RESPONSE", "the response is an error in spite of its status; check baseUrl and any proxy"];
  }
  if (status < 500) return ADVICE_BY_STATUS[status] ?? REFUSED;
  return ADVICE_BY_STATUS[status] ?? ["ERR_UNAVAILABLE", "the service failed; try again later"];
}

/**
 * Tells whether the service sends this only to those whose key it knows: a code that it is known to have, or any code beside status
 * 401, which has none for a wrong key.
 */
export function isForKnownKey(status: number | undefined, errorCode: unknown): boolean {
  if (typeof errorCode !== "string") return false;
  const [code] = ADVICE_BY_ERROR_CODE.get(errorCode) ?? [];
  // A rate limit may come before the service checks the key.
  return code === undefined ? status === 401 : code !== "ERR_RATE_LIMITED";
}

/** Returns the address of the caller that the service has seen. */
function addressIn(parameters: unknown): string | undefined {
  const texts: readonly unknown[] = Array.isArray(parameters) ? parameters : [];
  // An IPv6 address may have a zone of any length, which means nothing elsewhere.
  return texts.filter((text) => typeof text === "string").find((text) => isIP(text) > 0 && !text.includes("%"));
}

const WRONG_KEY: Advice = ["ERR_WRONG_KEY", "the service refuses the key pair; check publicKey and privateKey"];
const REFUSED: Advice = [
  "ERR_REFUSED",
  "the service refuses the read; check the address in baseUrl, and read the log of the service",
];
const REFUSES_THIS_PROJECT =
  "the service knows the key and refuses to read this project with it; check projectId and the roles of the key, and read the log of the service";
const LATER = /\b(?:later|in a minute)\b/;
const RATE_LIMITED: Advice = [
  "ERR_RATE_LIMITED",
  "too many requests; try again in a minute, or read fewer projects at the same time",
];
const OWN_ADDRESS = "the address of this machine";
const NOT_ON_ACCESS_LIST: Advice = ["ERR_ACCESS_LIST", `${OWN_ADDRESS} is not on the key's access list; add it there`];
const NO_SUCH_PROJECT: Advice = ["ERR_PROJECT_NOT_FOUND", "there is no such project; check projectId"];
const NOT_AUTOMATED = "the project is not managed by automation; enable automation for it";
const NOT_A_MEMBER =
  "the owner of the key is not a member of the project, or the project does not exist; check projectId, and invite the key";

const PAYMENT_REQUIRED: Advice = [
  "ERR_ACCOUNT_SUSPENDED",
  "payment is required; ask the owner of the account to settle it",
];
const OTHER_PLAN: Advice = ["ERR_UNSUPPORTED", "the project's plan excludes this read; change the plan"];
const NO_MEMBER: Advice = ["ERR_NOT_A_MEMBER", NOT_A_MEMBER];
const ROLE_MISSING: Advice = [
  "ERR_ROLE_MISSING",
  "the key lacks a role; give it Project Automation Admin on this project",
];

// The documentation of the two reads names no error codes. These are in the table of codes of services of this kind, in their
// responses, and in clients.
const ADVICE_BY_ERROR_CODE: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ["NOT_IN_GROUP", NO_MEMBER],
  ["USER_CANNOT_ACCESS_GROUP", NO_MEMBER],
  ["USER_CANNOT_ACCESS_ORG", NO_MEMBER],
  ["USER_UNAUTHORIZED", ROLE_MISSING],
  ["ACCESS_FORBIDDEN", ROLE_MISSING],
  ["NO_CURRENT_USER", ["ERR_WRONG_KEY", "the owner of the key no longer exists; create and set a new key pair"]],
  ["IP_ADDRESS_NOT_ON_ACCESS_LIST", NOT_ON_ACCESS_LIST],
  ["IP_ADDRESS_NOT_ON_WHITELIST", NOT_ON_ACCESS_LIST],
  ["RESOURCE_REQUIRES_ACCESS_LIST", NOT_ON_ACCESS_LIST],
  ["RESOURCE_REQUIRES_WHITELIST", NOT_ON_ACCESS_LIST],
  ["ORG_REQUIRES_ACCESS_LIST", NOT_ON_ACCESS_LIST],
  ["ORG_REQUIRES_WHITELIST", NOT_ON_ACCESS_LIST],
  [
    "GLOBAL_USER_OUTSIDE_SUBNET",
    [
      "ERR_ACCESS_LIST",
      `${OWN_ADDRESS} is outside the subnets from which the service accepts this global key; run from one of them, or ask the operator of the service to add it`,
    ],
  ],
  ["INVALID_QUERY_PARAMETER", ["ERR_REFUSED", "a query parameter is unknown; leave out envelope and pretty"]],
  ["RATE_LIMITED", RATE_LIMITED],
  ["RATE_LIMITED_IP", RATE_LIMITED],
  ["ACCOUNT_SUSPENDED", ["ERR_ACCOUNT_SUSPENDED", "the account is suspended; ask its owner to reactivate it"]],
  ["NO_PAYMENT_INFORMATION_FOUND", PAYMENT_REQUIRED],
  [
    "FEATURE_UNSUPPORTED",
    ["ERR_UNSUPPORTED", "the service offers no such read; ask its operator to enable automation"],
  ],
  ["UNSUPPORTED_FOR_CURRENT_PLAN", OTHER_PLAN],
  ["NO_FREE_TIER_API", OTHER_PLAN],
  ["UNSUPPORTED_FOR_CURRENT_CONFIG", ["ERR_UNSUPPORTED", NOT_AUTOMATED]],
  [
    "ATLAS_GROUP",
    ["ERR_UNSUPPORTED", "the agents of an Atlas project have no such settings; take the project out of the program"],
  ],
  ["INVALID_GROUP_ID", NO_SUCH_PROJECT],
  ["GROUP_NOT_FOUND", NO_SUCH_PROJECT],
  ["AUTOMATION_CONFIG_NOT_FOUND", ["ERR_NOT_AUTOMATED", NOT_AUTOMATED]],
  ["RESOURCE_NOT_FOUND", ["ERR_NOT_FOUND", "the path is unknown; check the path of baseUrl and the service's version"]],
]);

const ADVICE_BY_STATUS: Readonly<Record<number, Advice>> = {
  400: ["ERR_REFUSED", "the service does not understand the request; check the scheme and the port of baseUrl"],
  401: WRONG_KEY,
  402: PAYMENT_REQUIRED,
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
