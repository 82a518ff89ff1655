import { execFileSync, fork } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

export const CREDENTIALS = { username: "publickey", password: "private-key-0001" } as const;
export const REALM = "Example Public API";
/** RFC 7616, section 3.4.2 */
export const HA1 = hash("md5", `${CREDENTIALS.username}:${REALM}:${CREDENTIALS.password}`);
/** How many requests a nonce of the server is good for. */
export const USES_OF_A_NONCE = 1023;
export const PROJECT_ID = "0123456789abcdef01234567";

/**
 * What the first part of a request's path chooses: `plain` is not protected, `shared` behaves like a Java container, whose
 * nonces are good for 1,023 requests and 60 seconds, `once` accepts a nonce once, and `strict` wants counts in their order.
 */
export type Protection = "plain" | "shared" | "once" | "strict";

/** What this process asks the server's process for. */
export type Question = "reset" | "count" | { readonly nonces: number };

/** The server that every contender reads from. */
export interface Server {
  readonly origin: string;
  /** Counts requests from 0 again. */
  reset(): Promise<void>;
  /** How many requests came since the last reset, with those that were refused. */
  count(): Promise<number>;
  /** Issues fresh nonces without a request. */
  nonces(amount: number): Promise<readonly string[]>;
  close(): void;
}

/** The target of a read under this protection. */
export function pathOf(protection: Protection): string {
  return `/${protection}/api/public/v1.0/groups/${PROJECT_ID}/automationConfig/monitoringAgentConfig`;
}

export async function startServer({ keyFile, certificateFile }: Certificate): Promise<Server> {
  const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), [keyFile, certificateFile]);
  let open = true;
  child.on("exit", () => {
    if (open) throw new Error("The server of the benchmark has ended.");
  });
  const [port]: unknown[] = await once(child, "message");
  const ask = async (question: Question): Promise<unknown> => {
    child.send(question);
    const [reply]: unknown[] = await once(child, "message");
    return reply;
  };
  return {
    origin: `https://127.0.0.1:${port}`,
    async reset() {
      await ask("reset");
    },
    async count() {
      return z.number().parse(await ask("count"));
    },
    async nonces(amount) {
      return z.array(z.string()).parse(await ask({ nonces: amount }));
    },
    close() {
      open = false;
      child.kill();
    },
  };
}

/** A key and the certificate that it signed for 127.0.0.1, with the files that hold them. */
export interface Certificate {
  readonly folder: string;
  readonly keyFile: string;
  readonly certificateFile: string;
  readonly certificate: string;
}

/** Makes both with openssl in a new folder, which the caller removes. */
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
