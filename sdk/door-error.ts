import { RunError } from "@pulumi/pulumi";

/**
 * What a failed read rejects with: Pulumi prints its message as one line, whether the read was awaited or its Output is
 * an input of a resource.
 */
export class DoorError extends RunError {
  /** The `code` of the error behind it, such as `ERR_WRONG_KEY`. */
  readonly code: string;

  constructor(cause: unknown) {
    const { message } = cause instanceof Error ? cause : new Error(String(cause));
    super(message, { cause });
    this.code = cause instanceof Error && "code" in cause ? String(cause.code) : "ERR_UNKNOWN";
    this.stack = message;
    // For each resource that takes the Output as an input the SDK writes another copy of it before the message.
    Object.defineProperty(this, "message", { get: () => message, set() {}, configurable: true });
  }
}
