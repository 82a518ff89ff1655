import { AgentLogConfigError } from "../model/errors.ts";
import { runsInline, runsWithMocks } from "./private-sdk.ts";

/**
 * Fails the program by a rejection that nobody handles, because the SDK handles those of Outputs late, of which Node.js warns.
 * The Output stays without a value. A unit test and an inline program see the failure of the Output itself.
 */
export function failProgram(error: AgentLogConfigError): Promise<never> {
  if (runsWithMocks() || runsInline()) throw printedAsIs(error);
  printUncaughtAsIs();
  void Promise.reject(error);
  return new Promise(() => {});
}

/**
 * Lets the SDK print an error that this program does not catch as its message alone. It would print the stack of one that comes after
 * the main module, and the name of the property before the message for each resource whose input has failed with it.
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

/** Makes the error of a failed Output, which the SDK alone sees, its message alone wherever that is printed. */
export function printedAsIs(error: AgentLogConfigError): AgentLogConfigError {
  const { message } = error;
  return Object.defineProperties(error, {
    stack: { value: message, writable: true, configurable: true },
    message: { get: () => message, set() {}, configurable: true },
  });
}
