import { isIP } from "node:net";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../client/errors.ts";
import type { Observations } from "./observe-connections.ts";
import type { OpenedService } from "./open-service.ts";
import { STEPS, type Step, type StepName } from "./steps.ts";

/** How far both reads of one project came; an agent that is undefined was not read. */
export interface Outcome {
  /** Where the agent logs to. */
  readonly monitoring?: string;
  /** Where the agent logs to. */
  readonly backup?: string;
  readonly error?: unknown;
}

/** Returns the steps of one project; a step is `ok` only if it was observed. */
export function describeSteps(service: OpenedService, seen: Observations, outcome: Outcome): readonly Step[] {
  const { monitoring, backup, error } = outcome;
  const failed =
    error === undefined ? undefined : monitoring === undefined ? failedStep(error, seen, service) : "backup";
  const notes: Notes = {
    ...describeConnection(service, seen, error),
    ...(failed === "challenge" ? {} : describeAuthentication(seen, outcome)),
    ...(monitoring === undefined ? {} : { monitoring: ok(`it logs to ${monitoring}`) }),
    ...(backup === undefined ? {} : { backup: ok(`it logs to ${backup}`) }),
  };
  return combine(notes, failed, error);
}

/** Returns the steps where the settings do not work. */
export function describeSettingsFailure(error: unknown): readonly Step[] {
  return combine({}, "settings", error);
}

/** Returns what a report says of an error. */
export function describeError(error: unknown): { readonly message: string; readonly code: string } {
  const code = error instanceof AgentLogConfigError ? error.code : "ERR_UNKNOWN";
  return { message: error instanceof Error ? error.message : String(error), code };
}

type Note = Pick<Step, "status" | "message">;
type Notes = Partial<Record<StepName, Note>>;

function combine(notes: Notes, failed: StepName | undefined, error: unknown): readonly Step[] {
  return STEPS.map((step) =>
    step === failed
      ? { step, status: "failed", ...describeError(error) }
      : { step, ...(notes[step] ?? { status: "not reached", message: "" }) },
  );
}

function ok(message: string): Note {
  return { status: "ok", message };
}

function describeConnection(service: OpenedService, seen: Observations, error: unknown): Notes {
  const { host = service.hostname, address, tls } = seen;
  const isConnected = address !== undefined || isTlsFailure(error);
  const isPlain = address !== undefined && tls === undefined && !service.isTls;
  return {
    settings: ok(service.settings),
    ...(isConnected || isResolved(host, error)
      ? { name: ok(host === service.hostname ? host : `${host}, a proxy`) }
      : {}),
    ...(isConnected ? { connection: ok(address ?? "open") } : {}),
    ...(tls === undefined ? {} : { TLS: ok(tls) }),
    ...(isPlain ? { TLS: notAskedFor("the address is plain http, so the settings travel unencrypted") } : {}),
  };
}

function describeAuthentication({ challenge }: Observations, { monitoring, error }: Outcome): Notes {
  if (challenge === undefined) {
    if (monitoring === undefined && error === undefined) return {};
    const note = notAskedFor("the server responds without credentials");
    const reached = monitoring !== undefined || isServedWithoutKey(error);
    return reached ? { challenge: note, key: notAskedFor(""), role: notAskedFor("") } : {};
  }
  return {
    challenge: ok(challenge),
    ...(monitoring !== undefined || isOfKnownKey(error) ? { key: ok("accepted") } : {}),
    ...(monitoring === undefined ? {} : { role: ok("sufficient") }),
  };
}

function notAskedFor(message: string): Note {
  return { status: "not asked for", message };
}

/** The step at which the first read stopped. */
function failedStep(error: unknown, { host, address, challenge }: Observations, { hostname }: OpenedService): StepName {
  if (!(error instanceof AgentLogConfigError)) return "settings";
  if (isUnknownName(error)) return "name";
  if (isTlsFailure(error)) return "TLS";
  const isBrokenByProxy = error.code === "ERR_PROXY" || (error.code === "ERR_CONNECTION" && host !== hostname);
  if (address === undefined || isBrokenByProxy) return "connection";
  // A response without a challenge is most often not the service's.
  if (challenge === undefined) return isServedWithoutKey(error) ? "monitoring" : "challenge";
  return STEP_OF_CODE[error.code] ?? "monitoring";
}

const STEP_OF_CODE: Partial<Record<AgentLogConfigErrorCode, StepName>> = {
  ERR_AUTHENTICATION: "challenge",
  ERR_WRONG_KEY: "key",
  ERR_NOT_A_MEMBER: "role",
  ERR_ROLE_MISSING: "role",
  ERR_ACCESS_LIST: "role",
  ERR_PROJECT_NOT_FOUND: "role",
};

/** What only the service itself says, and only to a key that it knows. */
const CODES_OF_KNOWN_KEY: ReadonlySet<unknown> = new Set([
  "ERR_NOT_A_MEMBER",
  "ERR_ROLE_MISSING",
  "ERR_PROJECT_NOT_FOUND",
  "ERR_NOT_AUTOMATED",
]);

function isOfKnownKey(error: unknown): boolean {
  return error instanceof AgentLogConfigError && CODES_OF_KNOWN_KEY.has(error.code);
}

function isServedWithoutKey(error: unknown): boolean {
  return error instanceof AgentLogConfigError && /^ERR_(PROJECT_NOT_FOUND|NOT_AUTOMATED)$/.test(error.code);
}

function isTlsFailure(error: unknown): boolean {
  return error instanceof AgentLogConfigError && error.code === "ERR_TLS";
}

function isUnknownName(error: AgentLogConfigError): boolean {
  return /^(ENOTFOUND|EAI_AGAIN)$/.test(systemCodeOf(error));
}

/** Whether the name is known although nothing was connected: an address has none, and a refusal comes after the look-up. */
function isResolved(host: string, error: unknown): boolean {
  if (error === undefined) return false;
  return isIP(host) !== 0 || /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH)$/.test(systemCodeOf(error));
}

/** The code of Node.js or undici at the root of an error. */
function systemCodeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause === undefined ? "" : systemCodeOf(cause);
}
