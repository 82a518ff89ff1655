/** Reads this many times, with this many reads under way at a time. Rejects if a read ends without the settings. */
export async function runReads(read: () => Promise<unknown>, reads: number, atATime: number): Promise<void> {
  let begun = 0;
  const reader = async (): Promise<void> => {
    while (begun < reads) {
      begun += 1;
      const body = await read();
      if (!(body instanceof Object && "logPath" in body)) throw new Error("A read ended without the settings.");
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
}
