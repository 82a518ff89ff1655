export { type DigestOptions, digest } from "./digest.ts";
export { DigestError, type DigestErrorCode } from "./digest-error.ts";
