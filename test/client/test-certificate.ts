import { readFileSync } from "node:fs";
import path from "node:path";

const fixture = (name: string) => path.join(import.meta.dirname, "fixtures", name);

/** The file of the authority that {@link TLS} comes from. */
export const CA_FILE = fixture("ca.crt");

/** The key and the certificate of localhost and 127.0.0.1. */
export const TLS = {
  key: readFileSync(fixture("server.key"), "utf8"),
  cert: readFileSync(fixture("server.crt"), "utf8"),
};
