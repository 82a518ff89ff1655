import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { z } from "zod";

/** Starts the server that every contender reads from, over TLS, in a process of its own. */
export async function startServer() {
  const child = fork(join(import.meta.dirname, "server.ts"));
  const receive = async () => z.number().parse((await once(child, "message"))[0]);
  return {
    origin: `https://127.0.0.1:${await receive()}`,
    certificateFile: CERTIFICATE_FILE,
    /** Returns how many requests came since the last call, with those that were refused. */
    countRequests() {
      child.send("count");
      return receive();
    },
    close: () => child.kill(),
  };
}

export type Server = Awaited<ReturnType<typeof startServer>>;

const fixtures = join(import.meta.dirname, "../test/digest/fixtures");
export const KEY_FILE = join(fixtures, "test-only-key.pem");
export const CERTIFICATE_FILE = join(fixtures, "test-only-certificate.pem");
export const CREDENTIALS = { username: "publickey", password: "private-key-0001" } as const;
/** How many requests a nonce of the server is good for. */
export const USES_OF_A_NONCE = 1023;
export const PROJECT_ID = "0123456789abcdef01234567";

/**
 * What the first part of a request's path chooses: `plain` is not protected, `shared` behaves like a Java container, whose
 * nonces are good for 1,023 requests and 60 seconds, `once` accepts a nonce once, and `strict` wants counts in their order.
 */
export type Protection = "plain" | "shared" | "once" | "strict";

/** The target of a read under this protection. */
export function pathOf(protection: Protection): string {
  return `/${protection}/api/public/v1.0/groups/${PROJECT_ID}/automationConfig/monitoringAgentConfig`;
}
