import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key and the certificate that it signed for 127.0.0.1, with the files that hold them. */
export interface Certificate {
  readonly folder: string;
  readonly keyFile: string;
  readonly certificateFile: string;
  readonly certificate: string;
}

/** Makes both with openssl in a new folder, which is the caller's to remove. */
export function createCertificate(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "digest-bench-"));
  const keyFile = join(folder, "key.pem");
  const certificateFile = join(folder, "certificate.pem");
  const elliptic = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  execFileSync("openssl", ["req", "-x509", ...elliptic, "-days", "2", ...names, ...files], { stdio: "pipe" });
  return { folder, keyFile, certificateFile, certificate: readFileSync(certificateFile, "utf8") };
}
