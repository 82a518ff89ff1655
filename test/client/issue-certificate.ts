import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A key and the certificate for it, as PEM texts. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
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

const CONFIGURATION =
  "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nnew_certs_dir=.\npolicy=p\ndefault_md=sha256\nrand_serial=yes\n[p]\ncommonName=supplied\n";

/** Makes both with openssl. */
export function issueCertificate(options: CertificateOptions = {}): Certificate {
  const { commonName = "localhost", extensions = FOR_LOOPBACK, issuer, newKey = ELLIPTIC } = options;
  const { from = "20200101000000Z", until = "21200101000000Z" } = options;
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const openssl = (...args: readonly string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("ca.conf", CONFIGURATION);
  write("index", "");
  write("extensions", `${extensions.join("\n")}\n`);
  if (issuer !== undefined) write("issuer", issuer.key + issuer.cert);
  const signer = issuer === undefined ? ["-selfsign", "-keyfile", "key"] : ["-cert", "issuer", "-keyfile", "issuer"];
  const subject = ["-subj", `/CN=${commonName}`];
  const validity = ["-startdate", from, "-enddate", until];
  const paths = ["-config", "ca.conf", "-extfile", "extensions", "-in", "request", "-out", "certificate"];
  try {
    openssl("req", "-new", "-newkey", ...newKey, "-nodes", ...subject, "-keyout", "key", "-out", "request");
    openssl("ca", "-batch", "-notext", ...signer, ...validity, ...paths);
    return { key: read("key"), cert: read("certificate") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
