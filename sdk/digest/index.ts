/**
 * HTTP Digest authentication (RFC 7616) for undici, without the service.
 * @packageDocumentation
 */
export { type DigestOptions, digest } from "./digest.ts";
export { DigestError, type DigestErrorCode } from "./digest-error.ts";
