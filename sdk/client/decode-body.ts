/** Bytes of a response; a real one has some thousand. */
export const MAX_BODY_BYTES = 1_048_576;

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a body as UTF-8, with or without a byte order mark (RFC 8259, section 8.1).
 * @throws Error that says what is wrong with the body and quotes nothing of it
 */
export function decodeBody(body: Uint8Array, contentEncoding: string): string {
  if (!/^(?:identity)?$/i.test(contentEncoding)) {
    throw new Error(`is compressed, although the client asks for no compression (${contentEncoding})`);
  }
  try {
    return UTF_8.decode(body);
  } catch {
    throw new Error("is not UTF-8");
  }
}
