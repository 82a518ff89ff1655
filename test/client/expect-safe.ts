import { expect } from "vitest";

/** The message is short, moves no cursor, turns no text around, and holds no colour of the Pulumi CLI and no command of a CI. */
export function expectSafe(error: unknown): void {
  const { message } = error instanceof Error ? error : new Error("It is not an Error.");
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|<\{%|##(?:vso|teamcity)?\[/iu);
  expect(message.length).toBeLessThan(1000);
}
