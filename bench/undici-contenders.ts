import { hash, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
import { digest } from "pulumi-agent-log-config/digest";
import { Agent, type Dispatcher } from "undici";
import { CONNECTIONS, type Contender, type OpenContender, runReads } from "./contender.ts";
import { CREDENTIALS, HA1, PROJECT_ID, type Protection, pathOf, REALM, USES_OF_A_NONCE } from "./start-server.ts";

/** undici on a path without protection. */
export const plain: Contender = {
  name: "undici, without Digest",
  async open({ origin }) {
    return openUndici(openAgent(), origin, "plain");
  },
};

/** The limit: nothing is faster than credentials that are computed before the time is taken. */
export const precomputed: Contender = {
  name: "undici, credentials precomputed (the limit)",
  async open(server) {
    let credentials: readonly string[] = [];
    let next = 0;
    const open = openUndici(openAgent(), server.origin, "shared", () => {
      next += 1;
      return { authorization: credentials[next - 1] };
    });
    return {
      ...open,
      async prepare(reads) {
        const nonces = await server.nonces(Math.ceil(reads / USES_OF_A_NONCE));
        credentials = precomputeCredentials(nonces, pathOf("shared"));
        next = 0;
      },
    };
  },
};

/** The interceptor, under one of the server's protections. */
export function interceptor(protection: Protection): Contender {
  return {
    name: "undici + pulumi-agent-log-config/digest",
    async open({ origin }) {
      return openUndici(openAgent().compose(digest({ ...CREDENTIALS, origins: [origin] })), origin, protection);
    },
  };
}

/** Typed reads: the interceptor, repeats, a time limit, validation and errors. */
export function client(caCertificate: string): Contender {
  return {
    name: "pulumi-agent-log-config/client",
    async open({ origin }) {
      const { username: publicKey, password: privateKey } = CREDENTIALS;
      const reader = new AgentLogConfigClient({ baseUrl: `${origin}/shared`, publicKey, privateKey, caCertificate });
      return {
        run: (reads, atATime) =>
          runReads(() => reader.get({ projectId: PROJECT_ID, agent: "monitoring" }), reads, atATime),
        close: () => reader.close(),
      };
    },
  };
}

interface Authenticator {
  authorize(method: string, uri: string): string;
}
type WwwAuthenticate = (username: string, password: string) => (challenge: string) => Authenticator;

/** This package only computes credentials, and its user has to send them. This is the least that works. */
export function wwwAuthenticate(version: string): Contender {
  const require = createRequire(new URL("peers/package.json", import.meta.url));
  return {
    name: `undici + www-authenticate ${version}`,
    async open({ origin }) {
      const create: WwwAuthenticate = require("www-authenticate");
      const path = pathOf("shared");
      const dispatcher = openAgent();
      const onChallenge = create(CREDENTIALS.username, CREDENTIALS.password);
      let authenticator: Authenticator | undefined;
      const send = () => {
        const headers = authenticator === undefined ? {} : { authorization: authenticator.authorize("GET", path) };
        return dispatcher.request({ origin, path, method: "GET", headers });
      };
      const read = async (): Promise<unknown> => {
        let { statusCode, headers, body } = await send();
        if (statusCode === 401) {
          await body.dump();
          authenticator = onChallenge(String(headers["www-authenticate"]));
          ({ body } = await send());
        }
        return body.json();
      };
      return { run: (reads, atATime) => runReads(read, reads, atATime), close: () => dispatcher.destroy() };
    },
  };
}

function openAgent(): Agent {
  return new Agent({ connections: CONNECTIONS });
}

function openUndici(
  dispatcher: Dispatcher,
  origin: string,
  protection: Protection,
  headers: () => Record<string, string | undefined> = () => ({}),
): OpenContender {
  const path = pathOf(protection);
  const read = async (): Promise<unknown> => {
    const { body } = await dispatcher.request({ origin, path, method: "GET", headers: headers() });
    return body.json();
  };
  return { run: (reads, atATime) => runReads(read, reads, atATime), close: () => dispatcher.destroy() };
}

/** Computes the `Authorization` headers of as many GET requests as the nonces are good for. */
function precomputeCredentials(nonces: readonly string[], uri: string): string[] {
  const ha2 = hash("md5", `GET:${uri}`);
  const cnonce = randomBytes(8).toString("hex");
  return nonces.flatMap((nonce) =>
    Array.from({ length: USES_OF_A_NONCE }, (_, index) => {
      const nc = (index + 1).toString(16).padStart(8, "0");
      const response = hash("md5", `${HA1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`);
      const fixed = `Digest username="${CREDENTIALS.username}", realm="${REALM}", nonce="${nonce}", uri="${uri}"`;
      const credentials = `${fixed}, qop=auth, nc=${nc}, cnonce="${cnonce}", response="${response}", algorithm=MD5`;
      // The same text in one piece: otherwise V8 would join its pieces within the time that is measured.
      return Buffer.from(credentials, "latin1").toString("latin1");
    }),
  );
}
