import { unzipSync } from "node:zlib";

/** Bytes of a response; a real one has some thousand. */
export const MAX_BODY_BYTES = 1_048_576;
/** What a message says about a longer one. */
export const TOO_LONG = "is longer than 1 MiB";

/** More codings than this are an attack on the processor. */
const MAX_CODINGS = 3;
/** The client asks for no coding, but a proxy on the way may use one of these (RFC 9110, section 8.4.1). */
const KNOWN_CODING = /^(?:x-)?gzip$|^deflate$/;
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
  const names = contentEncoding.split(",").map((name) => name.trim().toLowerCase());
  const codings = names.filter((name) => name !== "" && name !== "identity");
  if (codings.length > MAX_CODINGS) throw new Error(`is compressed more than ${MAX_CODINGS} times`);
  const unknown = codings.find((coding) => !KNOWN_CODING.test(coding));
  if (unknown !== undefined) throw new Error(`is compressed in an unknown way (${unknown})`);
  try {
    return codings.reduce<Uint8Array>((packed) => unzipSync(packed, { maxOutputLength: MAX_BODY_BYTES }), body);
  } catch (error) {
    const isTooLong = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw new Error(isTooLong ? TOO_LONG : `can't be decompressed (${codings.join(", ")})`);
  }
}
