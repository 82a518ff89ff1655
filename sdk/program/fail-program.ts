import { AgentLogConfigError } from "../model/errors.ts";
import { runsInline, runsWithMocks } from "./private-sdk.ts";

/**
 * Fails the program by a rejection that nobody handles. The SDK handles the rejection of an Output, too, but late, and Node.js
 * warns of that. The Output gets no value. In a unit test and an inline program the Output itself fails.
 */
export function failProgram(error: AgentLogConfigError): Promise<never> {
  if (runsWithMocks() || runsInline()) throw printedAsIs(error);
  printUncaughtAsIs();
  void Promise.reject(error);
  return new Promise(() => {});
}

/**
 * Lets the SDK print an error that this program does not catch as its message alone. The SDK would print the stack of an error
 * that comes after the main module has ended. For each resource whose input has failed with the error, it would print the name of
 * the property before the message.
 */
export function printUncaughtAsIs(): void {
  // Without a listener Node.js ends the process, and the process of an inline program is not its own.
  if (runsInline() || process.listenerCount("unhandledRejection") === 0) return;
  // Listeners are called in their order.
  process.off("unhandledRejection", showMessageAlone).prependListener("unhandledRejection", showMessageAlone);
}

function showMessageAlone(error: unknown): void {
  if (!(error instanceof AgentLogConfigError)) return;
  error.message = error.message.replace(/^(?:error serializing property "[^"]*": )+/, "");
  error.stack = error.message;
}

/** Lets the SDK print the error of a failed Output as its message alone. */
export function printedAsIs(error: AgentLogConfigError): AgentLogConfigError {
  const { message } = error;
  return Object.defineProperties(error, {
    stack: { value: message, writable: true, configurable: true },
    message: { get: () => message, set() {}, configurable: true },
  });
}
