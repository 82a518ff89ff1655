import { readFileSync } from "node:fs";
import path from "node:path";

const fixture = (name: string) => path.join(import.meta.dirname, "fixtures", name);

/** The file of the authority that {@link TLS} comes from. */
export const CA_FILE = fixture("ca.crt");

/** The files of the key and of the certificate of localhost and 127.0.0.1. */
export const [KEY_FILE, CERTIFICATE_FILE] = [fixture("server.key"), fixture("server.crt")];

export const TLS = { key: readFileSync(KEY_FILE, "utf8"), cert: readFileSync(CERTIFICATE_FILE, "utf8") };
