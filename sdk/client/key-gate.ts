import { AgentLogConfigError, type AgentLogConfigErrorCode } from "./errors.ts";

/** How long the first read may hold the others back, in milliseconds. */
const PATIENCE_MILLISECONDS = 1000;

/** Services block keys that are refused too often. */
const REFUSALS: ReadonlySet<AgentLogConfigErrorCode> = new Set(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"]);

/** Lets one read try a key before the others, and remembers a refusal, so that a refused key is sent once. */
export class KeyGate {
  #tried: PromiseWithResolvers<void> | undefined;
  #refusal: AgentLogConfigError | undefined;

  /** @param subject what failed, if the key was refused for another read */
  async pass<Result>(subject: string, read: () => Promise<Result>): Promise<Result> {
    const isFirst = this.#tried === undefined;
    this.#tried ??= Promise.withResolvers();
    const { promise, resolve } = this.#tried;
    if (isFirst) setTimeout(resolve, PATIENCE_MILLISECONDS).unref();
    else await promise;
    if (this.#refusal !== undefined) {
      const { code, why, status, errorCode } = this.#refusal;
      throw new AgentLogConfigError(code, why, { subject, status, errorCode });
    }
    try {
      return await read();
    } catch (error) {
      if (error instanceof AgentLogConfigError && REFUSALS.has(error.code)) this.#refusal ??= error;
      throw error;
    } finally {
      resolve();
    }
  }
}
