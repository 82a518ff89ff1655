import { z } from "zod";
import { type AgentLogConfigErrorCode, ServiceError } from "./errors.ts";
import { printable } from "./printable.ts";

/** The error body of real services; the contract, section 7, shows none. */
const schema = z.object({
  error: z.number().optional().catch(undefined),
  errorCode: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  reason: z.string().optional().catch(undefined),
});

interface Advice {
  readonly code: AgentLogConfigErrorCode;
  readonly says: string;
}

const RATE_LIMITED: Advice = {
  code: "ERR_RATE_LIMITED",
  says: "too many requests; wait a minute, or read fewer projects at once",
};

const ADVICE_BY_ERROR_CODE: Readonly<Record<string, Advice>> = {
  NOT_IN_GROUP: {
    code: "ERR_NOT_A_MEMBER",
    says: "the key is of no member of this project, or there is no such project; check projectId, and invite the key to the project",
  },
  USER_UNAUTHORIZED: {
    code: "ERR_ROLE_MISSING",
    says: "the key lacks a role; give it Project Automation Admin on this project",
  },
  IP_ADDRESS_NOT_ON_ACCESS_LIST: {
    code: "ERR_ACCESS_LIST",
    says: "the address that this request comes from is not on the key's access list; add it there",
  },
  RATE_LIMITED,
  GROUP_NOT_FOUND: { code: "ERR_PROJECT_NOT_FOUND", says: "there is no such project; check projectId" },
};

const SYNONYMS: Readonly<Record<string, string>> = {
  IP_ADDRESS_NOT_ON_WHITELIST: "IP_ADDRESS_NOT_ON_ACCESS_LIST",
  RATE_LIMITED_IP: "RATE_LIMITED",
  INVALID_GROUP_ID: "GROUP_NOT_FOUND",
};

/**
 * Says what a refusal means and what to do about it.
 * @param status the HTTP status, or the envelope's
 * @param body the parsed body, if it was JSON
 * @param failure how the message begins
 */
export function serviceError(
  status: number,
  body: unknown,
  failure: string,
  retryAfterSeconds: number | undefined,
): ServiceError {
  const { errorCode: word, detail, reason } = schema.safeParse(body).data ?? {};
  const errorCode = word === undefined ? undefined : printable(word, 100);
  const { code, says } = adviceByErrorCode(errorCode) ?? adviceByStatus(status);
  const sentence = (detail ?? reason)?.replace(/\.$/, "");
  const itsWords = [errorCode, sentence].filter((text) => text !== undefined).join(": ");
  const message = `${failure}: ${says} (status ${status}${itsWords === "" ? "" : `, ${printable(itsWords)}`}).`;
  return new ServiceError(code, message, { status, errorCode, retryAfterSeconds });
}

/** Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. */
export function readRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const seconds = (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function adviceByErrorCode(errorCode: string | undefined): Advice | undefined {
  if (errorCode === undefined) return undefined;
  const name = SYNONYMS[errorCode] ?? errorCode;
  return Object.hasOwn(ADVICE_BY_ERROR_CODE, name) ? ADVICE_BY_ERROR_CODE[name] : undefined;
}

function adviceByStatus(status: number): Advice {
  if (status === 401) {
    return { code: "ERR_WRONG_KEY", says: "the service refuses the key pair; check publicKey and privateKey" };
  }
  if (status === 403)
    return { code: "ERR_REFUSED", says: "the service refuses this key the read; check its access list and its roles" };
  if (status === 404) return { code: "ERR_NOT_FOUND", says: "the service has nothing at this address; check baseUrl" };
  if (status === 429) return RATE_LIMITED;
  return status >= 500 ? unavailable : { code: "ERR_REFUSED", says: "the service refuses the read" };
}

const unavailable: Advice = {
  code: "ERR_UNAVAILABLE",
  says: "the service failed or is being maintained; try again later",
};
