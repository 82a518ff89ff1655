import { inspect } from "node:util";
import { expect, it, type TestContext } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode, type ConnectionOptions } from "../../sdk/client/index.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { hostOf, openClient, PROXY_PASSWORD, PROXY_USER } from "../servers/proxy-client.ts";
import { expectSafe } from "./expect-safe.ts";
import { KEYS, MONITORING, openService, PROJECT_ID } from "./open-client.ts";

/** Where a read fails, and what its error has beside a code and a sentence. */
export interface Situation {
  readonly baseUrl: string;
  readonly options?: Partial<ConnectionOptions>;
  /** The proxy variables; no others are set. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly envelope?: boolean;
  /** How the reason begins. */
  readonly begin?: string;
  /** What stands behind the link. */
  readonly end?: string;
  readonly facts?: object;
}
const OUTAGES = new Set(["ERR_CONNECTION", "ERR_UNAVAILABLE", "ERR_RATE_LIMITED"]);
/** The credentials of a proxy, as its clients send them. */
export const BASIC = Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString("base64");
const OF_PROXY = [PROXY_USER, PROXY_PASSWORD, encodeURIComponent(PROXY_PASSWORD), BASIC];
const SECRETS = [KEYS.privateKey, "body-", "response=", ...OF_PROXY];
/** Each row is a cause, what arranges it, and the sentence that it gives. */
export function itFails<Input>(
  code: AgentLogConfigErrorCode,
  arrange: (input: Input, context: TestContext) => Promise<Situation>,
  rows: readonly (readonly [cause: string, input: Input, says: RegExp | string])[],
): void {
  it.for(rows)(`%s: ${code}`, async ([, input, says], context) => {
    const situation = await arrange(input, context);
    const { baseUrl, begin = "", end = "", facts } = situation;
    const { client, error } = await failureIn(situation);
    expect(error).toMatchObject({ code, temporary: OUTAGES.has(code), ...facts });
    const subject = `Can't read the monitoring agent's log settings of project ${PROJECT_ID} from ${hostOf(baseUrl)}: `;
    const link = `. See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}.${end}`;
    const { message, status = 0 } = error;
    expect([message.slice(0, subject.length), message.slice(-link.length)]).toEqual([subject, link]);
    const reason = message.slice(subject.length, -link.length);
    expect(reason.slice(0, begin.length)).toBe(begin);
    expect(reason).toMatch(new RegExp(says));
    if (status >= 400) expect(reason).toContain(`(status ${status}`);
    expectSafe(error);
    const printed = inspect([error, client], { depth: 9, showHidden: true });
    for (const secret of SECRETS) expect(printed).not.toContain(secret);
  });
}
export async function failureIn({ baseUrl, options, environment = {}, envelope }: Situation) {
  const client = openClient({ baseUrl }, environment, { caCertificate: undefined, ...options });
  const error = await client.get({ ...MONITORING, envelope }).catch((reason: unknown) => reason);
  if (!(error instanceof AgentLogConfigError)) throw error;
  return { client, error };
}
export const json = (body: unknown, status = 200) => ({ status, body: JSON.stringify(body) });
export const asksFor = (challenge: string) => ({ status: 401, headers: { "WWW-Authenticate": challenge } });

/** What a service responds with to each signed request. */
export async function respond(response: CannedResponse): Promise<Situation> {
  const service = await openService();
  service.respondWith(() => response);
  return { baseUrl: service.baseUrl, facts: { status: response.status } };
}
