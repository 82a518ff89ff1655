import { brotliDecompressSync, inflateSync, unzipSync } from "node:zlib";

/** Bytes of a response; a real one has some thousand. */
export const MAX_BODY_LENGTH = 1_048_576;
/** What a message says about a longer one. */
export const TOO_LONG = "is longer than 1 MiB";

/** More codings than this are an attack on the processor. */
const MAX_CODINGS = 3;

type Decoder = (body: Uint8Array, limit: { readonly maxOutputLength: number }) => Uint8Array;

/** The client asks for none of them, but a proxy on the way may use them (RFC 9110, section 8.4.1). */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", unzipSync],
  ["x-gzip", unzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Takes a body out of its content codings and reads it as UTF-8, with or without a byte order mark (RFC 8259, section 8.1).
 * @throws Error that says what is wrong with the body and quotes nothing of it
 */
export function decodeBody(body: Uint8Array, contentEncoding: string): string {
  const plain = contentEncoding === "" ? body : decompress(body, contentEncoding);
  try {
    return UTF_8.decode(plain);
  } catch {
    throw new Error("is not UTF-8");
  }
}

function decompress(body: Uint8Array, contentEncoding: string): Uint8Array {
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) throw new Error(`is compressed more than ${MAX_CODINGS} times`);
  return codings.reduceRight(undo, body);
}

function undo(body: Uint8Array, coding: string): Uint8Array {
  const decode = DECODERS.get(coding);
  if (decode === undefined) throw new Error(`is compressed in an unknown way (${coding})`);
  try {
    return decode(body, { maxOutputLength: MAX_BODY_LENGTH });
  } catch (error) {
    const tooLong = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw new Error(tooLong ? TOO_LONG : `can't be decompressed (${coding})`);
  }
}
