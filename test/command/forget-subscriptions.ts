import diagnosticsChannel from "node:diagnostics_channel";
import { onTestFinished, vi } from "vitest";

/** Ends what the test subscribes to from now on when it has finished. The command itself watches until its process ends. */
export function forgetSubscriptions(): void {
  const subscribe = vi.spyOn(diagnosticsChannel, "subscribe");
  onTestFinished(() => {
    for (const [channel, listener] of subscribe.mock.calls) diagnosticsChannel.unsubscribe(channel, listener);
    subscribe.mockRestore();
  });
}
