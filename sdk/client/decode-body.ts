import { brotliDecompressSync, inflateSync, unzipSync, zstdDecompressSync } from "node:zlib";

/** Bytes of an answer; a real one has some thousand. */
export const MAX_BODY_LENGTH = 1_048_576;
/** What a message says of a longer one. */
export const TOO_LONG = "is longer than 1 MiB";

type Decoder = (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Uint8Array;

/** Nothing asks for them, but a proxy on the way may use them (RFC 9110, section 8.4.1; RFC 8878). */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", unzipSync],
  ["x-gzip", unzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
]);

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Takes a body out of its content codings and reads it in its charset, UTF-8 where it names none (RFC 8259, section 8.1).
 * @throws Error that says what is wrong with it, quoting nothing of it
 */
export function decodeBody(body: Uint8Array, contentEncoding: string, contentType: string): string {
  const codings = contentEncoding
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((coding) => coding !== "" && coding !== "identity");
  const plain = codings.reduceRight(decompress, body);
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  try {
    return (charset === undefined ? UTF_8 : new TextDecoder(charset, { fatal: true })).decode(plain);
  } catch {
    throw new Error(`is not written in ${charset ?? "utf-8"}, as it should be`);
  }
}

function decompress(body: Uint8Array, coding: string): Uint8Array {
  const decode = DECODERS.get(coding);
  if (decode === undefined) throw new Error(`is compressed in a way that is unknown (${coding})`);
  try {
    return decode(body, { maxOutputLength: MAX_BODY_LENGTH });
  } catch (error) {
    const tooLong = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw new Error(tooLong ? TOO_LONG : `can't be decompressed (${coding})`);
  }
}
