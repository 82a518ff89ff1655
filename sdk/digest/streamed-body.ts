import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { DigestError } from "./digest-error.ts";
import { printable } from "./printable.ts";

/** The most that is kept of a stream, in bytes, so that it can be sent again. */
const MAX_KEPT_LENGTH = 65_536;

type Chunk = string | Uint8Array;

/** A request body that can be read only once. Its beginning is kept while it is sent, in case the server refuses it. */
export class StreamedBody {
  /** False once the source is longer than what is kept, or once the caller gets the response or an error. */
  isReplayable = true;
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

  /** Closes the source, from which no more is needed. */
  close(): void {
    this.isReplayable = false;
    // The request has its own outcome, which a source that fails to close does not change.
    this.#source.return?.().catch(() => {});
  }

  async *#read(): AsyncGenerator<Chunk> {
    let sent = 0;
    try {
      for (;;) {
        const chunk = this.#kept[sent];
        if (chunk !== undefined) {
          sent += 1;
          if (!this.isReplayable) sent -= this.#kept.splice(0, sent).length;
          yield chunk;
        } else if (this.#ended) return;
        // Another reader, which was cut off while it waited, may add its chunk first.
        else await this.#pull();
      }
    } finally {
      if (!this.isReplayable) this.close();
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
    if (this.#keptLength > MAX_KEPT_LENGTH) this.isReplayable = false;
  }
}

/** True for a body that is sent as a {@link StreamedBody}. */
export function isStream(body: unknown): body is AsyncIterable<Chunk> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Refuses to send a request again whose body is gone: an iterator, or a stream of which no more than the beginning is kept.
 * Strings, buffers, `Blob` and `FormData` can be sent again.
 * @throws {@link DigestError} `ERR_DIGEST_BODY_NOT_REPLAYABLE`
 */
export function refuseOneShot({ origin, method, path, body }: Dispatcher.DispatchOptions): void {
  const isIterator = typeof body === "object" && body !== null && ("next" in body || "pipe" in body);
  if (!isIterator && !isStream(body)) return;
  const request = printable(`${method} ${origin}${path.replace(/\?.*/s, "")}`);
  throw new DigestError(
    "ERR_DIGEST_BODY_NOT_REPLAYABLE",
    `The server refused ${request}, and the stream in its body can't be sent again: send a string or a buffer, or make a request without a body first.`,
  );
}
