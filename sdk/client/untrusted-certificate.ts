import type { Dispatcher } from "undici";
import { FailureHandler } from "./failure-handler.ts";

/** The service's certificate is trusted by nothing here, although a `caCertificate` was given. */
export class UntrustedCertificate extends Error {
  override readonly name = "UntrustedCertificate";
}

/** An interceptor for a client with a `caCertificate`: says {@link UntrustedCertificate} where that did not help. */
export const untrustedCertificates: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new FailureHandler(handler, toUntrusted));

const UNTRUSTED_CODES: ReadonlySet<unknown> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
]);

function toUntrusted(cause: Error): Error {
  if (!("code" in cause) || !UNTRUSTED_CODES.has(cause.code)) return cause;
  return new UntrustedCertificate(cause.message, { cause });
}
