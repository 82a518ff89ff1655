/**
 * Makes a failure its message alone on the terminal: where a failed Output is an input of resources, the SDK would print a
 * stack trace and one more copy of the message for each of them.
 */
export function printedAsIs<Thrown extends Error>(failure: Thrown): Thrown {
  const { message } = failure;
  return Object.defineProperties(failure, {
    stack: { value: message, configurable: true },
    message: { get: () => message, set() {}, configurable: true },
  });
}
