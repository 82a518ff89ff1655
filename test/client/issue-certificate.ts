import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A key and the certificate for it, as PEM texts and as the files that hold them. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly keyFile: string;
  readonly certFile: string;
}

export interface CertificateOptions {
  /** Who signs; by default the certificate itself. */
  readonly issuer?: Certificate;
  readonly commonName?: string;
  readonly extensions?: readonly string[];
  /** What openssl takes behind `-newkey`. Default: an elliptic curve. */
  readonly newKey?: readonly string[];
  /** `YYYYMMDDHHMMSSZ` */
  readonly from?: string;
  readonly until?: string;
}

export const AUTHORITY = ["basicConstraints=critical,CA:TRUE"];
export const FOR_LOOPBACK = ["subjectAltName=IP:127.0.0.1,DNS:localhost"];

const ELLIPTIC = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

/** Makes both with openssl in a folder that goes with the test. */
export function issueCertificate(options: CertificateOptions = {}): Certificate {
  const { commonName = "localhost", extensions = FOR_LOOPBACK, issuer, newKey = ELLIPTIC } = options;
  const { from = "20200101000000Z", until = "21200101000000Z" } = options;
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  writeFileSync(
    join(folder, "ca.conf"),
    "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\npolicy=p\ndefault_md=sha256\nrand_serial=yes\n[p]\ncommonName=supplied\n",
  );
  writeFileSync(join(folder, "index"), "");
  writeFileSync(join(folder, "extensions"), `${extensions.join("\n")}\n`);
  const subject = ["-subj", `/CN=${commonName}`];
  openssl("req", "-new", "-newkey", ...newKey, "-nodes", ...subject, "-keyout", keyFile, "-out", "request");
  const signer = issuer === undefined ? ["-selfsign", "-keyfile", keyFile] : ["-cert", issuer.certFile];
  if (issuer !== undefined) signer.push("-keyfile", issuer.keyFile);
  const validity = ["-startdate", from, "-enddate", until];
  const files = ["-config", "ca.conf", "-extfile", "extensions", "-in", "request", "-out", certFile];
  openssl("ca", "-batch", "-notext", ...signer, ...validity, ...files);
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8"), keyFile, certFile };
}
