import { isIP } from "node:net";
import { z } from "zod";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "./errors.ts";
import { printable } from "./printable.ts";

/** The error body of real services; the contract, section 7, shows none. */
const schema = z.object({
  errorCode: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  reason: z.string().optional().catch(undefined),
  parameters: z.array(z.unknown()).catch([]),
});

/** The code of a failure, and what the message says of it. */
export type Advice = readonly [code: AgentLogConfigErrorCode, says: string];

const RATE_LIMITED: Advice = ["ERR_RATE_LIMITED", "too many requests; wait a minute, or read fewer projects at once"];
const UNAVAILABLE: Advice = ["ERR_UNAVAILABLE", "the service failed; try again later"];
const REFUSED: Advice = ["ERR_REFUSED", "the service refuses the read"];
const NO_SUCH_PROJECT: Advice = ["ERR_PROJECT_NOT_FOUND", "there is no such project; check projectId"];

const ADVICE_BY_ERROR_CODE: ReadonlyMap<string, Advice> = new Map(
  Object.entries<Advice>({
    NOT_IN_GROUP: [
      "ERR_NOT_A_MEMBER",
      "the key is of no member of this project, or there is no such project; check projectId, and invite the key to the project",
    ],
    USER_UNAUTHORIZED: ["ERR_ROLE_MISSING", "the key lacks a role; give it Project Automation Admin on this project"],
    NO_CURRENT_USER: [
      "ERR_WRONG_KEY",
      "the key is nobody's any more; make a new one, and set publicKey and privateKey",
    ],
    INVALID_QUERY_PARAMETER: ["ERR_REFUSED", "it does not know a query parameter; leave out envelope and pretty"],
    RATE_LIMITED,
    RATE_LIMITED_IP: RATE_LIMITED,
    ACCOUNT_SUSPENDED: ["ERR_ACCOUNT_SUSPENDED", "the account is suspended; settle that with the service first"],
    FEATURE_UNSUPPORTED: ["ERR_UNSUPPORTED", "it does not offer this read; ask who runs it to enable automation"],
    UNSUPPORTED_FOR_CURRENT_PLAN: ["ERR_UNSUPPORTED", "the project's plan does not include this read; change the plan"],
    UNSUPPORTED_FOR_CURRENT_CONFIG: [
      "ERR_UNSUPPORTED",
      "the project's configuration does not allow this read; check that automation manages it",
    ],
    INVALID_GROUP_ID: NO_SUCH_PROJECT,
    GROUP_NOT_FOUND: NO_SUCH_PROJECT,
    AUTOMATION_CONFIG_NOT_FOUND: [
      "ERR_NOT_AUTOMATED",
      "the project has no automation configuration; let automation manage its agents first",
    ],
    RESOURCE_NOT_FOUND: [
      "ERR_NOT_FOUND",
      "it has no such read; check the path of baseUrl, and whether its version is old",
    ],
  }),
);

const ADVICE_BY_STATUS: Readonly<Record<number, Advice>> = {
  400: ["ERR_REFUSED", "it does not understand the request; check the scheme and the port of baseUrl"],
  401: ["ERR_WRONG_KEY", "the service refuses the key pair; check publicKey and privateKey"],
  402: ["ERR_ACCOUNT_SUSPENDED", "the service wants to be paid first; settle that with it"],
  403: ["ERR_REFUSED", "the service refuses this key the read; check its access list and its roles"],
  404: ["ERR_NOT_FOUND", "the service has nothing at this address; check baseUrl"],
  429: RATE_LIMITED,
  500: ["ERR_UNAVAILABLE", "the service failed; try again later, and look into its log if that does not help"],
  502: ["ERR_UNAVAILABLE", "a gateway in front of the service got no answer from it; try again later"],
  503: ["ERR_UNAVAILABLE", "the service is overloaded or being maintained; try again later"],
  504: ["ERR_UNAVAILABLE", "a gateway in front of the service got no answer in time; try again later"],
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
): AgentLogConfigError {
  const { errorCode: word, detail, reason, parameters = [] } = schema.safeParse(body).data ?? {};
  const errorCode = word === undefined ? undefined : printable(word, 100);
  const sentence = (detail ?? reason)?.replace(/\.$/, "");
  const [code, says] = advice(status, errorCode, [...parameters, ...(sentence?.split(/[\s,]+/) ?? [])]);
  const itsWords = [errorCode, sentence].filter((text) => text !== undefined).join(": ");
  const message = `${failure}: ${says} (status ${status}${itsWords === "" ? "" : `, ${printable(itsWords)}`}).`;
  return new AgentLogConfigError(code, message, { status, errorCode, retryAfterSeconds });
}

/** @param words of the service, among which it may name the address that the request came from */
function advice(status: number, errorCode: string | undefined, words: readonly unknown[]): Advice {
  if (status < 500 && errorCode !== undefined) {
    if (/^IP_ADDRESS_NOT_ON_(?:ACCESS_LIST|WHITELIST)$/.test(errorCode)) return notOnAccessList(words);
    const known = ADVICE_BY_ERROR_CODE.get(errorCode);
    if (known !== undefined) return known;
  }
  return ADVICE_BY_STATUS[status] ?? (status >= 500 ? UNAVAILABLE : REFUSED);
}

function notOnAccessList(words: readonly unknown[]): Advice {
  const address = words.find((word) => typeof word === "string" && isIP(word) !== 0);
  const caller =
    address === undefined ? "the address that this request comes from" : `this machine's address, ${address},`;
  return ["ERR_ACCESS_LIST", `${caller} is not on the key's access list; add it there`];
}

/** RFC 9110, section 5.6.7: all that servers may send today; Date.parse takes almost anything for a date. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Reads `Retry-After`, seconds or a date (RFC 9110, section 10.2.3); undefined for anything else. */
export function readRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  if (!IMF_FIXDATE.test(header)) return undefined;
  const seconds = (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
