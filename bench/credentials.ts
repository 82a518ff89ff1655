import { hash } from "node:crypto";

export const CREDENTIALS = { username: "publickey", password: "private-key-0001" } as const;
export const REALM = "Example Public API";

/** RFC 7616, section 3.4.2 */
export const HA1 = hash("md5", `${CREDENTIALS.username}:${REALM}:${CREDENTIALS.password}`);
