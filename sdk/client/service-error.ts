import type { WireResponse } from "../digest/signed-request.ts";
import { AgentLogConfigError, type AgentLogConfigErrorCode, type Diagnosis } from "../model/errors.ts";
import { printable } from "../text/printable.ts";

/** What is known of an error beside the status and the body. */
export interface ErrorFacts {
  readonly retryAfterSeconds?: number | undefined;
  readonly refusal?: WireResponse["refusal"];
  readonly isSigned?: WireResponse["isSigned"];
  /** The status stands in the body alone: the HTTP status is that of a success. */
  readonly isStatusInBody?: boolean;
  /** The body, if it is a text or a page instead of JSON. */
  readonly text?: string | undefined;
}

/**
 * Says what an error of the service, or of something in front of it, means and what to do about it.
 * @param status the highest of the HTTP status and those in the body; it may be that of a success
 * @param fields the members of the body, out of its envelope; none if it is no object
 */
export function serviceError(
  status: number,
  fields: Readonly<Record<string, unknown>>,
  subject: string,
  facts: ErrorFacts,
): AgentLogConfigError {
  const errorCode = errorCodeIn(fields);
  const { retryAfterSeconds } = facts;
  const time = retryAfterSeconds ? `Retry-After: ${Math.ceil(retryAfterSeconds)} s` : "";
  const words = serviceWords(fields) ?? (status < 400 ? "" : gatewayWords(fields, facts.text));
  const itsWords = [errorCode, words].filter(Boolean).join(": ");
  const [code, says, isDoubtful] = diagnoseStatus(status, errorCode, fields, facts);
  const evidence = [`status ${status}`, itsWords, time].filter(Boolean);
  return new AgentLogConfigError(code, says, { subject, status, errorCode, retryAfterSeconds, evidence, isDoubtful });
}

/** The most parameters of a sentence that a message quotes. A body may have 1 MiB of them. */
const MAX_PARAMETERS = 10;

/** Returns what the service says of an error, and the parameters of that sentence which it does not have; undefined if it says nothing. */
function serviceWords({ detail, reason, parameters }: Readonly<Record<string, unknown>>): string | undefined {
  const text = [detail, reason].find((each) => typeof each === "string" && each !== "") ?? "";
  const sentence = printable(String(text)).replace(/\.+$/, "");
  const others = [parameters]
    .flat()
    .slice(0, MAX_PARAMETERS)
    .filter((each) => typeof each === "string");
  const missing = others.map((each) => printable(each, 100)).filter((each) => !sentence.includes(each));
  return [sentence, ...missing].filter(Boolean).join(", ") || undefined;
}

/** Returns what a gateway says: `message` of JSON, else the title of a page, else a plain text; never a part of a longer text. */
export function gatewayWords({ message }: Readonly<Record<string, unknown>>, text = ""): string {
  const [, title = text] = /^\s*<(?:.*?<)?title\b[^<>]*>([^<]*)/is.exec(text) ?? [];
  const words = (typeof message === "string" ? message : title).replace(/\s+/g, " ").trim();
  // A part of JSON may be settings.
  const isQuotable = words.length <= 200 && /^(?!["[]|.*":)[^<{}\p{Cc}]+$/u.test(words);
  return isQuotable ? printable(words).replace(/\.+$/, "") : "";
}

function diagnoseStatus(
  status: number,
  errorCode: string | undefined,
  fields: Readonly<Record<string, unknown>>,
  facts: ErrorFacts,
): Diagnosis {
  if (status === 401 && facts.refusal === "nonce") return NO_NONCE;
  const specific = status < 500 && errorCode !== undefined ? DIAGNOSIS_BY_ERROR_CODE.get(errorCode) : undefined;
  if (specific !== undefined) return specific;
  if (status < 400) return ERROR_IN_SUCCESS;
  const sender = senderOf(errorCode, fields, facts);
  if (status === 401 && facts.isStatusInBody !== true) return diagnoseUnauthorized(sender, facts);
  const diagnosis = DIAGNOSIS_BY_STATUS[status];
  if (diagnosis !== undefined) return diagnosis;
  if (status >= 500) return ["ERR_UNAVAILABLE", `${SERVICE_OR_GATEWAY} failed; try again later`];
  return [CODE_BY_STATUS[status] ?? "ERR_REFUSED", REFUSALS[sender][status] ?? REFUSALS[sender].other];
}

/** Who sends an error, as far as it shows: the service with its code or without, something behind its Digest, or anything else. */
type Sender = "service with code" | "service" | "behind Digest" | "other";

function senderOf(
  errorCode: string | undefined,
  { error }: Readonly<Record<string, unknown>>,
  { isSigned = false, isStatusInBody = false }: ErrorFacts,
): Sender {
  if (errorCode !== undefined) return "service with code";
  if (isStatusInBody || statusIn(error) !== undefined) return "service";
  return isSigned ? "behind Digest" : "other";
}

function diagnoseUnauthorized(sender: Sender, { refusal, isSigned = false }: ErrorFacts): Diagnosis {
  if (refusal === undefined && !isSigned) return NO_DIGEST;
  if (sender === "service with code") return ["ERR_REFUSED", REFUSES_THIS_PROJECT];
  if (sender === "service") return WRONG_KEY;
  return refusal === "key" ? DOUBTFUL_KEY : ["ERR_REFUSED", GATEWAY_REFUSES];
}

/** Returns the code of the service in the body of an error. Two codes say no more than none: clients and gateways write them so. */
export function errorCodeIn({ errorCode }: Readonly<Record<string, unknown>>): string | undefined {
  const isCode = typeof errorCode === "string" && !["", "UNAUTHORIZED"].includes(errorCode.trim());
  return isCode ? printable(errorCode, 100) : undefined;
}

/** Returns a value that is an HTTP status. */
export function statusIn(value: unknown): number | undefined {
  const isText = typeof value === "number" || typeof value === "string";
  return isText && /^[2-5]\d\d$/.test(String(value)) ? Number(value) : undefined;
}

/**
 * Tells whether the service sends this only to those whose key it knows: a code that it is known to have, or any code beside status
 * 401, which has none for a wrong key.
 */
export function codeProvesKey(status: number | undefined, errorCode: string | undefined): boolean {
  if (errorCode === undefined) return false;
  const [code] = DIAGNOSIS_BY_ERROR_CODE.get(errorCode) ?? [];
  // A rate limit may come before the service checks the key.
  return code === undefined ? status === 401 : code !== "ERR_RATE_LIMITED";
}

/** Tells whether an error is a defect of the service, which has a code. Gateways send status 500, too, while a service restarts. */
export function isDefectOfService({ status, errorCode }: AgentLogConfigError): boolean {
  return status === 500 && errorCode !== undefined;
}

const ERROR_IN_SUCCESS: Diagnosis = [
  "ERR_INVALID_RESPONSE",
  "the response is an error in spite of its status; check baseUrl and any proxy",
];
const NO_DIGEST: Diagnosis = [
  "ERR_AUTHENTICATION",
  "the server does not ask for HTTP Digest; check baseUrl and any proxy",
];
const NO_NONCE: Diagnosis = [
  "ERR_UNAVAILABLE",
  "the service rejects every nonce that it has just sent; let a load balancer in front of it keep each client on one server, or try again later",
];
const WRONG_KEY: Diagnosis = ["ERR_WRONG_KEY", "the service refuses the key pair; check publicKey and privateKey"];
/** Without the service's `error`, a gateway may have replaced a refusal of one project, and kept its status and the challenge. */
const DOUBTFUL_KEY: Diagnosis = [
  "ERR_WRONG_KEY",
  "the service refuses the key pair, or a gateway has replaced the reason; check the key pair and its roles, and let the gateway pass the errors of the service",
  true,
];
const GATEWAY_REFUSES =
  "a gateway or proxy in front of the service refuses the request; ask its operator to let the request pass, or check baseUrl";
const REFUSES_THIS_PROJECT =
  "the service knows the key and refuses to read this project with it; check projectId and the roles of the key, and read the log of the service";
const RATE_LIMITED: Diagnosis = [
  "ERR_RATE_LIMITED",
  "too many requests; try again later, or read fewer projects at the same time",
];
const PAYMENT_REQUIRED = "payment is required; ask the owner of the account to settle it";
const NOT_AUTOMATED = "the project is not managed by automation; enable automation for it";
/** Behind a balancer the service may see everybody with one address, and an access list with it would let everybody in. */
const UNLESS_A_BALANCER =
  ", unless it is that of a balancer: then let the service see the address of the client (mms.remoteIp.header)";

/** Codes of the service with one meaning. The documentation of the two reads names none; docs/service.md says where each was seen. */
const ERROR_CODES: readonly (readonly [errorCodes: string, ...Diagnosis])[] = [
  [
    "NOT_IN_GROUP USER_NOT_IN_GROUP USER_CANNOT_ACCESS_GROUP USER_CANNOT_ACCESS_ORG",
    "ERR_NOT_A_MEMBER",
    "the owner of the key is not a member of the project, or the project does not exist; check projectId, and invite the key",
  ],
  [
    "USER_UNAUTHORIZED ACCESS_FORBIDDEN",
    "ERR_ROLE_MISSING",
    "the key lacks a role; give it Project Automation Admin on this project",
  ],
  ["NO_CURRENT_USER", "ERR_WRONG_KEY", "the owner of the key no longer exists; create and set a new key pair"],
  [
    "IP_ADDRESS_NOT_ON_ACCESS_LIST RESOURCE_REQUIRES_ACCESS_LIST ORG_REQUIRES_ACCESS_LIST IP_ADDRESS_NOT_ON_WHITELIST RESOURCE_REQUIRES_WHITELIST ORG_REQUIRES_WHITELIST",
    "ERR_ACCESS_LIST",
    `the address that the service sees is not on the key's access list; add it there${UNLESS_A_BALANCER}`,
  ],
  [
    "GLOBAL_USER_OUTSIDE_SUBNET",
    "ERR_ACCESS_LIST",
    `the address that the service sees is outside the subnets of this global key; run from one of them, or ask the operator of the service to add the address${UNLESS_A_BALANCER}`,
  ],
  ["INVALID_QUERY_PARAMETER", "ERR_REFUSED", "a query parameter is unknown; leave out envelope and pretty"],
  ["RATE_LIMITED RATE_LIMITED_IP", ...RATE_LIMITED],
  ["ACCOUNT_SUSPENDED", "ERR_ACCOUNT_SUSPENDED", "the account is suspended; ask its owner to reactivate it"],
  ["NO_PAYMENT_INFORMATION_FOUND", "ERR_ACCOUNT_SUSPENDED", PAYMENT_REQUIRED],
  ["FEATURE_UNSUPPORTED", "ERR_UNSUPPORTED", "the service offers no such read; ask its operator to enable automation"],
  [
    "UNSUPPORTED_FOR_CURRENT_PLAN NO_FREE_TIER_API",
    "ERR_UNSUPPORTED",
    "the project's plan excludes this read; change the plan",
  ],
  ["UNSUPPORTED_FOR_CURRENT_CONFIG", "ERR_UNSUPPORTED", NOT_AUTOMATED],
  [
    "ATLAS_GROUP EXPECTED_NON_ATLAS_ORG",
    "ERR_UNSUPPORTED",
    "the agents of an Atlas project have no such settings; take the project out of the program",
  ],
  ["INVALID_GROUP_ID GROUP_NOT_FOUND", "ERR_PROJECT_NOT_FOUND", "there is no such project; check projectId"],
  ["AUTOMATION_CONFIG_NOT_FOUND", "ERR_NOT_AUTOMATED", NOT_AUTOMATED],
  ["RESOURCE_NOT_FOUND", "ERR_NOT_FOUND", "the path is unknown; check the path of baseUrl and the service's version"],
];

const DIAGNOSIS_BY_ERROR_CODE: ReadonlyMap<string, Diagnosis> = new Map(
  ERROR_CODES.flatMap(([errorCodes, ...diagnosis]) => errorCodes.split(" ").map((each) => [each, diagnosis] as const)),
);

const SERVICE_OR_GATEWAY = "the service, or a gateway in front of it,";

/** What a status says, whoever sends it. */
const DIAGNOSIS_BY_STATUS: Readonly<Record<number, Diagnosis>> = {
  // Servers send it on a connection that they close because it was idle (RFC 9110, section 15.5.9).
  408: ["ERR_UNAVAILABLE", "the server closed the connection because no request came in time; try again later"],
  429: RATE_LIMITED,
  500: ["ERR_UNAVAILABLE", `${SERVICE_OR_GATEWAY} failed; try again later, and read its log if that does not help`],
  501: ["ERR_REFUSED", "the server does not support the request; check baseUrl and any proxy"],
  502: ["ERR_UNAVAILABLE", `${SERVICE_OR_GATEWAY} got no valid response from a server behind it; try again later`],
  503: [
    "ERR_UNAVAILABLE",
    `${SERVICE_OR_GATEWAY} is overloaded or down; try again later, and check the host of baseUrl`,
  ],
  504: ["ERR_UNAVAILABLE", `${SERVICE_OR_GATEWAY} got no response in time from a server behind it; try again later`],
  505: ["ERR_REFUSED", "the server does not support HTTP/1.1; check baseUrl and any proxy"],
  511: ["ERR_REFUSED", "the network wants a login before it lets requests pass; log in to it"],
};

/** A refusal with another status is `ERR_REFUSED`. */
const CODE_BY_STATUS: Readonly<Record<number, AgentLogConfigErrorCode>> = {
  402: "ERR_ACCOUNT_SUSPENDED",
  404: "ERR_NOT_FOUND",
};

const GATEWAY_REFUSALS = {
  400: "the server does not understand the request; check the scheme, the host and the port of baseUrl, and any gateway or proxy",
  404: "a gateway or another server has nothing at this address; check the host, the port and the path of baseUrl",
  421: "the server does not know this host; check the host of baseUrl",
  other: GATEWAY_REFUSES,
};

/** What a refusal says, by its status. */
const REFUSALS: Readonly<Record<Sender, { readonly other: string; readonly [status: number]: string }>> = {
  "service with code": {
    other: "the service refuses the read; read what it says, look up its code, and read its log",
  },
  service: {
    402: PAYMENT_REQUIRED,
    403: "the service does not allow this key to read; give it Project Automation Admin on this project, and check its access list",
    404: "the service has nothing at this address; check projectId and baseUrl",
    other: "the service refuses the read; read its log",
  },
  "behind Digest": {
    ...GATEWAY_REFUSALS,
    // The article of NGINX on API gateways puts it in the place of 404.
    400: `${SERVICE_OR_GATEWAY} does not understand the request; check projectId, the path of baseUrl, and any gateway or proxy`,
    404: `${SERVICE_OR_GATEWAY} has nothing at this address; check projectId, and the host, the port and the path of baseUrl`,
  },
  other: GATEWAY_REFUSALS,
};
