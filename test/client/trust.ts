import { execFileSync } from "node:child_process";
import type { TestContext } from "vitest";
import { findProgram } from "../servers/server-process.ts";
import { AUTHORITY, type Certificate, type CertificateOptions, issueCertificate } from "./issue-certificate.ts";

/** What a service has, and what its clients trust. */
export interface Trust extends Certificate {
  readonly caCertificate?: string;
}

const openssl = findProgram("openssl");
// macOS has LibreSSL, whose command `ca` differs.
const isOpenssl =
  openssl !== undefined && execFileSync(openssl, ["version"], { encoding: "utf8" }).startsWith("OpenSSL");

/** Skips a test that needs certificates of its own. */
export function requireOpenssl(context: TestContext): void {
  if (!isOpenssl) context.skip("OpenSSL is not installed");
}

export function authority(commonName = "Example authority", options: CertificateOptions = {}): Certificate {
  return issueCertificate({ commonName, extensions: AUTHORITY, ...options });
}

let made: Certificate | undefined;
/** An authority that signs for several tests, because openssl takes its time. */
export function commonAuthority(): Certificate {
  made ??= authority();
  return made;
}

/** A certificate of an authority that is trusted. */
export function signed(options: CertificateOptions = {}): Trust {
  const issuer = commonAuthority();
  return { ...issueCertificate({ issuer, ...options }), caCertificate: issuer.cert };
}

export function behindIntermediate(trusted: "root" | "intermediate", isSent = false): Trust {
  const root = commonAuthority();
  const intermediate = authority("Example intermediate", { issuer: root });
  const { key, cert } = issueCertificate({ issuer: intermediate });
  const caCertificate = trusted === "root" ? root.cert : intermediate.cert;
  return { key, cert: isSent ? cert + intermediate.cert : cert, caCertificate };
}
