/** Waits for a promise. Once the signal is aborted, it calls `giveUp` and rejects with the signal's reason, both at once. */
export async function abortable<Result>(
  promise: Promise<Result>,
  signal: AbortSignal | undefined,
  giveUp?: () => void,
): Promise<Result> {
  if (signal === undefined) return promise;
  const abortion = Promise.withResolvers<never>();
  const abort = () => {
    abortion.reject(signal.reason);
    giveUp?.();
  };
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, abortion.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
