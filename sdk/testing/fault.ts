import { validateHeaderName, validateHeaderValue } from "node:http";
import { inspect } from "node:util";
import { invalidArgument } from "../client/errors.ts";

/** An answer to send instead of the service's own, once the request has been authenticated. */
export interface CannedAnswer {
  /** From 200 to 999. */
  readonly status: number;
  /** They take the place of the service's own of the same name; a list is as many lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** Text is sent as UTF-8. Default: nothing. */
  readonly body?: string | Uint8Array | undefined;
}

/** The connection is cut with the answer that the service would have given on its way. */
export interface Cut {
  /** Bytes of the whole HTTP answer, status line and headers among them, that are still sent; 0 or more. */
  readonly cutAfterBytes: number;
}

/** The service gives the answer that it would have given, but late. */
export interface Delay {
  /** Seconds, 0 or more, at most 3600. */
  readonly delaySeconds: number;
}

/**
 * What goes wrong with one authenticated request. `"reset"` resets the connection before anything is answered;
 * `"forgetNonces"` refuses the request with a new challenge and `stale=true`, as after a restart.
 */
export type Fault = CannedAnswer | Cut | Delay | "reset" | "forgetNonces";

export function isAnswer(fault: Fault | undefined): fault is CannedAnswer {
  return typeof fault === "object" && "status" in fault;
}

/** Whether the connection is cut instead of an answer. */
export function isCut(fault: Fault | undefined): fault is Cut | "reset" {
  return fault === "reset" || (typeof fault === "object" && "cutAfterBytes" in fault);
}

export function isLate(fault: Fault | undefined): fault is Delay {
  return typeof fault === "object" && "delaySeconds" in fault;
}

/** @throws AgentLogConfigError `ERR_INVALID_ARG_VALUE` for what is no fault or no answer that can be sent */
export function checkFaults(faults: readonly Fault[]): void {
  for (const fault of faults) {
    if (!isPossible(fault)) {
      throw invalidArgument(
        `A fault must be "reset", "forgetNonces", { cutAfterBytes } from 0, { delaySeconds } from 0 to 3600 or an answer with a status from 200 to 999, not ${inspect(fault, { depth: 1, breakLength: Infinity })}.`,
      );
    }
    if (isAnswer(fault)) checkHeaders(fault.headers);
  }
}

function isPossible(fault: Fault | null): boolean {
  if (typeof fault !== "object" || fault === null) return fault === "reset" || fault === "forgetNonces";
  if ("cutAfterBytes" in fault) return Number.isInteger(fault.cutAfterBytes) && fault.cutAfterBytes >= 0;
  if ("delaySeconds" in fault) return fault.delaySeconds >= 0 && fault.delaySeconds <= 3600;
  return Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 999;
}

function checkHeaders(headers: CannedAnswer["headers"] = {}): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      for (const line of [value].flat()) validateHeaderValue(name, line);
    } catch {
      throw invalidArgument(
        `The header ${JSON.stringify(name)} of the answer can't be sent: ${JSON.stringify(value)}.`,
      );
    }
  }
}
