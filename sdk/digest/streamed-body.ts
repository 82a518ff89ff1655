import { Readable } from "node:stream";

/** The most that is kept of a stream, in bytes, so that it can be sent again. */
const MAX_KEPT_LENGTH = 65_536;

type Chunk = string | Uint8Array;

/** A request body that can be read only once. Its beginning is kept while it is sent, in case the server refuses it. */
export class StreamedBody {
  /** False once more has been sent than is kept. */
  replayable = true;
  readonly #source: AsyncIterator<Chunk>;
  readonly #kept: Chunk[] = [];
  #keptLength = 0;
  #ended = false;

  constructor(source: AsyncIterable<Chunk>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Opens the body from its first byte. What was opened before must no longer be read. */
  open(): Readable {
    return Readable.from(this.#read());
  }

  /** Tells the source that no more of it is needed. */
  close(): void {
    this.settle();
    // The request has its own outcome, which a source that fails to close does not change.
    this.#source.return?.().catch(() => {});
  }

  /** Keeps no more: the server has not refused what it was sent. */
  settle(): void {
    this.replayable = false;
  }

  async *#read(): AsyncGenerator<Chunk> {
    let sent = 0;
    try {
      for (;;) {
        const chunk = this.#kept[sent];
        if (chunk !== undefined) {
          if (this.replayable) sent += 1;
          else this.#kept.splice(0, sent + 1);
          if (!this.replayable) sent = 0;
          yield chunk;
        } else if (this.#ended) return;
        // Another reader, which was cut off while it waited, may add its chunk first.
        else await this.#pull();
      }
    } finally {
      if (!this.replayable) this.close();
    }
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) {
      this.#ended = true;
      return;
    }
    this.#kept.push(value);
    this.#keptLength += Buffer.byteLength(value);
    if (this.#keptLength > MAX_KEPT_LENGTH) this.replayable = false;
  }
}
