import { type handleUnaryCall, status } from "@grpc/grpc-js";
import type { EngineLog } from "../engine/engine-log.ts";
import { findingOf } from "../record/finding-report.ts";

/** Handlers that show messages before the response, and end at once on cancel. */
export function cancellableCalls(log: EngineLog) {
  /** The function that ends each call that is under way, and the end of this call. */
  const calls = new Map<() => void, Promise<void>>();
  /** @param responseOnCancel what to respond on cancel; without it the call fails, and the engine shows that */
  const cancellable =
    <Request, Response>(
      answer: (request: Request) => Promise<Response>,
      responseOnCancel?: Response,
    ): handleUnaryCall<Request, Response> =>
    async ({ request }, respond) => {
      const cancellation = Promise.withResolvers<Response>();
      const end = Promise.withResolvers<void>();
      const cancel = () =>
        responseOnCancel === undefined ? cancellation.reject(CANCELLED) : cancellation.resolve(responseOnCancel);
      calls.set(cancel, end.promise);
      try {
        const response = await Promise.race([answer(request), cancellation.promise]);
        await log.flush();
        respond(null, response);
      } catch (error) {
        await log.flush();
        const code = error === CANCELLED ? status.CANCELLED : status.UNKNOWN;
        respond({ code, details: findingOf(error).message });
      } finally {
        calls.delete(cancel);
        end.resolve();
      }
    };
  /**
   * Ends all calls. It waits for their responses, because the engine closes the connection after the response to the cancellation.
   */
  const cancelCalls = async () => {
    const ends = [...calls.values()];
    for (const cancel of calls.keys()) cancel();
    await Promise.all(ends);
  };
  return { cancellable, cancelCalls };
}

const CANCELLED = new Error("The read was given up, because the run has ended.");
