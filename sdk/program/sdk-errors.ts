import { type AgentLogConfigError, errorOf } from "../model/errors.ts";
import { runsInline, runsWithMocks } from "./private-sdk.ts";

// How the SDK prints what a program throws.

/**
 * Fails the program by a rejection that nobody handles. The SDK handles the rejection of an Output, too, but late, and Node.js
 * warns of that. The Output gets no value. In a unit test and an inline program the Output itself fails.
 */
export function failProgram(thrown: unknown): Promise<never> {
  const error = hideStack(thrown);
  if (runsWithMocks() || runsInline()) throw error;
  void Promise.reject(error);
  return new Promise(() => {});
}

/**
 * Lets the SDK print what was thrown as its message alone, if nobody catches it. The SDK would print the stack of an error that comes
 * after the main module has ended, and put the name of each property before the message that fails with it.
 */
export function hideStack(thrown: unknown): AgentLogConfigError {
  const error = errorOf(thrown);
  let { message } = error;
  const setMessage = (text: string) => {
    if (!text.startsWith("error serializing property")) message = text;
  };
  return Object.defineProperties(error, {
    stack: { get: () => message, set() {}, configurable: true },
    message: { get: () => message, set: setMessage, configurable: true },
  });
}
