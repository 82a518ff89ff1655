import { type handleUnaryCall, status } from "@grpc/grpc-js";
import type { EngineLog } from "../engine/engine-log.ts";
import { failureOf } from "../record/finding-report.ts";

/** Handlers that show messages before the response, and end at once on cancel. */
export function cancellableCalls(log: EngineLog) {
  /** What ends each call that is under way. */
  const calls = new Map<() => void, Promise<void>>();
  /** @param whenCancelled what to respond on cancel; without it the call fails, and the engine shows that */
  const cancellable =
    <Request, Response>(
      answer: (request: Request) => Promise<Response>,
      whenCancelled?: Response,
    ): handleUnaryCall<Request, Response> =>
    async ({ request }, respond) => {
      const cancelled = Promise.withResolvers<Response>();
      const ended = Promise.withResolvers<void>();
      const cancel = () =>
        whenCancelled === undefined ? cancelled.reject(CANCELLED) : cancelled.resolve(whenCancelled);
      calls.set(cancel, ended.promise);
      try {
        const response = await Promise.race([answer(request), cancelled.promise]);
        await log.flush();
        respond(null, response);
      } catch (error) {
        await log.flush();
        const code = error === CANCELLED ? status.CANCELLED : status.UNKNOWN;
        respond({ code, details: failureOf(error).message });
      } finally {
        calls.delete(cancel);
        ended.resolve();
      }
    };
  /** Ends all calls. The engine closes the connection once this is answered, so that it waits for their responses. */
  const cancelCalls = async () => {
    const ended = [...calls.values()];
    for (const cancel of calls.keys()) cancel();
    await Promise.all(ended);
  };
  return { cancellable, cancelCalls };
}

const CANCELLED = new Error("The read was given up, because the run has ended.");
