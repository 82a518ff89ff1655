/**
 * HTTP Digest authentication (RFC 7616) for undici. It depends on nothing else of this package.
 * @packageDocumentation
 */
export { type DigestOptions, digest } from "./digest.ts";
export { DigestError, type DigestErrorCode } from "./digest-error.ts";
