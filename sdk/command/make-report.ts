import { PROJECT_ID } from "../client/agent-log-config-id.ts";
import { type AgentLogConfigErrorCode, CODES } from "../client/errors.ts";
import type { Failure } from "../shared/failure-report.ts";
import { type Findings, type Notes, READ_STEPS, type StepName } from "./observe-connections.ts";

/** What the command says. */
export interface Report {
  /** Every project was read. */
  readonly ok: boolean;
  /** What is wrong beside that, and what to do about it. */
  readonly warning?: string | undefined;
  /** All steps of one project, or those that many projects have in common. */
  readonly steps: readonly Step[];
  /** In the order in which they were given. */
  readonly projects: readonly ProjectReport[];
}

export interface Step {
  readonly step: StepName;
  /** `ok`: the step succeeded. `not asked for`: the server or its address does not need it. */
  readonly status: "ok" | "failed" | "not asked for" | "not reached";
  /** What was found, or what is wrong and what to do about it. */
  readonly message: string;
  readonly code?: AgentLogConfigErrorCode;
}

/** How far both reads of one project came: where the agents log to, and the problem if one was not read. */
export interface ProjectReport extends Partial<Failure> {
  readonly code?: AgentLogConfigErrorCode;
  readonly projectId: string;
  readonly status: "ok" | "failed" | "not reached";
  readonly monitoring?: string;
  readonly backup?: string;
}

export function makeReport({ warning, ...seen }: Findings, projects: readonly ProjectReport[]): Report {
  // A malformed id says nothing about the connection, and a project that was read says most.
  const readable = projects.filter(({ projectId }) => PROJECT_ID.test(projectId));
  const steps = stepsOf(seen, readable.find(({ status }) => status === "ok") ?? readable[0]);
  const ok = projects.every(({ status }) => status === "ok");
  return { ok, warning, steps: projects.length === 1 ? steps : steps.filter(isCommon), projects };
}

function stepsOf(seen: Findings, project: Partial<ProjectReport> = {}): readonly Step[] {
  const { code, message = "" } = project;
  const needless = needlessSteps(seen, project);
  const taken = { ...seen, ...stepsAfterChallenge(project) };
  const failed = code && failedStep(code, { ...taken, ...needless });
  return READ_STEPS.map((step): Step => {
    if (code && step === failed) return { step, status: "failed", message, code };
    if (needless[step] !== undefined) return { step, status: "not asked for", message: needless[step] };
    if (taken[step] !== undefined) return { step, status: "ok", message: taken[step] };
    return { step, status: "not reached", message: "" };
  });
}

/** What was found at the steps that only the outcome of the reads shows. */
function stepsAfterChallenge(project: Partial<ProjectReport>): Notes {
  const { monitoring, backup } = project;
  return {
    key: isAnswered(project) ? "accepted" : undefined,
    role: monitoring === undefined ? undefined : "sufficient",
    monitoring: monitoring === undefined ? undefined : `it logs to ${monitoring}`,
    backup: backup === undefined ? undefined : `it logs to ${backup}`,
  };
}

/** Why the server or its address does not need a step. */
function needlessSteps({ isPlain, challenge }: Findings, project: Partial<ProjectReport>): Notes {
  const isOpen = challenge === undefined && isAnswered(project);
  return {
    ...(isPlain ? { TLS: "the address is plain http, so the settings travel unencrypted" } : {}),
    ...(isOpen ? { challenge: "the server responds without credentials", key: "", role: "" } : {}),
  };
}

/** What comes after the key only the service itself says: to a key that it knows, or to everybody. */
function isAnswered({ monitoring, code }: Partial<ProjectReport>): boolean {
  return monitoring !== undefined || (code !== undefined && isAfterKey(STEPS[code]));
}

function failedStep(code: AgentLogConfigErrorCode, notes: Notes): StepName {
  if (notes.monitoring !== undefined) return "backup";
  const step = STEPS[code];
  // Without a connection to the service the certificate is a proxy's.
  if (step === "TLS" && notes.connection === undefined) return "connection";
  const reached = notes.challenge === undefined ? READ_STEPS.find((each) => notes[each] === undefined) : "monitoring";
  return step ?? reached ?? "monitoring";
}

function isAfterKey(step: StepName | undefined): boolean {
  return step !== undefined && READ_STEPS.indexOf(step) > READ_STEPS.indexOf("key");
}

/** Returns whether a step is the same for every project. */
function isCommon({ step, code }: Step): boolean {
  return !isAfterKey(step) || (code !== undefined && CODES[code].everyRead === true);
}

/** The step that fails with each code; none for those that may be of any step. */
const STEPS: Readonly<Partial<Record<AgentLogConfigErrorCode, StepName>>> = {
  ERR_INVALID_SETTINGS: "settings",
  ERR_MISSING_SETTINGS: "settings",
  ERR_STACK: "settings",
  ERR_PROXY: "connection",
  ERR_TLS: "TLS",
  ERR_AUTHENTICATION: "challenge",
  ERR_WRONG_KEY: "key",
  ERR_NOT_A_MEMBER: "role",
  ERR_ROLE_MISSING: "role",
  ERR_ACCESS_LIST: "role",
  ERR_PROJECT_NOT_FOUND: "role",
  ERR_NOT_AUTOMATED: "monitoring",
  ERR_UNSUPPORTED: "monitoring",
};
