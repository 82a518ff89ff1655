const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** A body can't be read as text. The message says what is wrong with it, and quotes nothing of it. */
export class UnreadableBody extends Error {}

/**
 * Reads a body as UTF-8, with or without a byte order mark (RFC 8259, section 8.1).
 * @throws {@link UnreadableBody} for any other coding
 */
export function decodeBody(body: Uint8Array, contentEncoding: string): string {
  if (!/^(?:identity)?$/i.test(contentEncoding)) {
    throw new UnreadableBody(`is compressed, although the client asks for no compression (${contentEncoding})`);
  }
  try {
    return UTF_8.decode(body);
  } catch (error) {
    const isMalformed =
      error instanceof TypeError && "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    throw isMalformed ? new UnreadableBody("is not UTF-8") : error;
  }
}
