import { unzipSync } from "node:zlib";

/** Bytes of a response; a real one has some thousand. */
export const MAX_BODY_BYTES = 1_048_576;
/** What a message says about a longer one. */
export const TOO_LONG = "is longer than 1 MiB";

/** The client asks for no coding, but a proxy on the way may use one of these (RFC 9110, section 8.4.1). */
const KNOWN_CODING = /^(?:(?:x-)?gzip|deflate)$/i;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Takes a body out of its content coding and reads it as UTF-8, with or without a byte order mark (RFC 8259, section 8.1).
 * @throws Error that says what is wrong with the body and quotes nothing of it
 */
export function decodeBody(body: Uint8Array, contentEncoding: string): string {
  const plain = /^(?:identity)?$/i.test(contentEncoding) ? body : decompress(body, contentEncoding);
  try {
    return UTF_8.decode(plain);
  } catch {
    throw new Error("is not UTF-8");
  }
}

function decompress(body: Uint8Array, coding: string): Uint8Array {
  if (!KNOWN_CODING.test(coding)) throw new Error(`is compressed in an unknown way (${coding})`);
  try {
    return unzipSync(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw new Error(isTooLong ? TOO_LONG : `can't be decompressed (${coding})`);
  }
}
