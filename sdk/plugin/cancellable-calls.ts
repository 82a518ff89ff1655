import { type handleUnaryCall, status } from "@grpc/grpc-js";
import { problemOf } from "../shared/reading.ts";
import type { EngineLog } from "./engine-log.ts";

/** Handlers that show messages before the response, and end at once on cancel. */
export function cancellableCalls(log: EngineLog) {
  const cancellations = new Set<(reason: Error) => void>();
  const cancellable =
    <Request, Response>(answer: (request: Request) => Promise<Response>): handleUnaryCall<Request, Response> =>
    async ({ request }, respond) => {
      const { promise: cancelled, reject } = Promise.withResolvers<never>();
      cancellations.add(reject);
      try {
        const response = await Promise.race([answer(request), cancelled]);
        await log.flush();
        respond(null, response);
      } catch (error) {
        await log.flush();
        const code = error === CANCELLED ? status.CANCELLED : status.UNKNOWN;
        respond({ code, details: problemOf(error).message });
      } finally {
        cancellations.delete(reject);
      }
    };
  const cancelCalls = () => {
    for (const reject of cancellations) reject(CANCELLED);
  };
  return { cancellable, cancelCalls };
}

const CANCELLED = new Error("The read was cancelled.");
