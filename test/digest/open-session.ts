import { DigestKey, type DigestSession } from "../../sdk/digest/digest-exchange.ts";

/** A key that no server has seen yet. */
export function newKey(): DigestKey {
  return new DigestKey({ username: "u", password: "p" });
}

/** What a new connection knows. */
export function openSession(key = newKey()): DigestSession {
  return { key };
}
