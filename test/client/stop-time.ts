import diagnosticsChannel from "node:diagnostics_channel";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import type { Service } from "../../sdk/testing/index.ts";
import type { Fault } from "../testing/queue-faults.ts";

/** When requests were sent, in milliseconds, and how many responses have come. */
export const seen = { sentAt: [] as number[], responses: 0 };
const noteRequest = () => void seen.sentAt.push(performance.now());
const noteResponse = () => {
  seen.responses += 1;
};

/** Lets time stand still in the tests of a file, whatever a response takes, until a test lets it pass. */
export function stopTime(): void {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    diagnosticsChannel.subscribe("undici:request:create", noteRequest);
    diagnosticsChannel.subscribe("undici:request:trailers", noteResponse);
  });
  afterAll(() => {
    vi.useRealTimers();
    diagnosticsChannel.unsubscribe("undici:request:create", noteRequest);
    diagnosticsChannel.unsubscribe("undici:request:trailers", noteResponse);
  });
  beforeEach(() => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    Object.assign(seen, { sentAt: [], responses: 0 });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.mocked(ReadGate.prototype.pass).mockRestore?.();
    // Whatever is still under way ends.
    await pass(100_000);
  });
}

export const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setImmediate();
  await setImmediate();
}

export const received = (service: Service, requests: number) => until(() => service.requests.length >= requests);
export const responded = (responses: number) => until(() => seen.responses >= responses);

/** Notes what a read ends with. */
export function watch(read: Promise<unknown>) {
  const ended = vi.fn<(end: unknown) => void>();
  read.then(ended, ended);
  return ended;
}

export const NEVER: Fault = { delaySeconds: 3600 };
export const DOWN = { status: 503 };
/** As many reads as there are connections. */
export const ALL = Array.from({ length: 16 });
/** Lets reads begin at once, which otherwise wait for the first one. */
export function sendAtOnce(): void {
  vi.spyOn(ReadGate.prototype, "pass").mockImplementation(async ({ signal }, send) => {
    signal?.throwIfAborted();
    return send();
  });
}

/** Lets time pass until a read ends, and returns what it ends with. */
export async function endOf(read: Promise<unknown>): Promise<unknown> {
  const ended = watch(read);
  for (let turns = 1; ended.mock.calls.length === 0; turns += 1) {
    await setImmediate();
    if (turns % 10 === 0) await pass(100);
  }
  return ended.mock.calls[0]?.[0];
}
