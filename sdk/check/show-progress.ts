/** A line that tells on a terminal how much is done. */
export interface Progress {
  readonly update: (done: number, total: number) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Milliseconds that may pass without a line. */
const PATIENCE = 1000;

/** Shows a line on standard error where that is a terminal and the work takes longer than a second. */
export function showProgress(): Progress {
  let line = "Reading";
  let isShown = false;
  const show = () => {
    isShown = true;
    process.stderr.write(`\r${line}`);
  };
  const timer = process.stderr.isTTY ? setTimeout(show, PATIENCE) : undefined;
  return {
    update(done, total) {
      line = `${done} of ${total} projects are read`;
      if (isShown) show();
    },
    end() {
      clearTimeout(timer);
      if (isShown) process.stderr.write("\r\x1b[K");
    },
  };
}
