import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
import { digest } from "pulumi-agent-log-config/digest";
import { Agent, type Dispatcher } from "undici";
import { CONNECTIONS } from "./connections.ts";
import type { Contender, OpenContender } from "./contender.ts";
import { CREDENTIALS } from "./credentials.ts";
import { precomputeAnswers, USES_OF_A_NONCE } from "./precompute-answers.ts";
import { runReads } from "./run-reads.ts";
import type { Protection } from "./server.ts";
import { PROJECT_ID, pathOf, type Server } from "./start-server.ts";

/** No protection, no answers. */
export const plain: Contender = {
  name: "undici, without Digest",
  async open(server) {
    return openUndici(new Agent({ connections: CONNECTIONS }), server, "plain");
  },
};

/** The limit: nobody answers faster than with answers that are there already. */
export const precomputed: Contender = {
  name: "undici, answers precomputed (the limit)",
  async open(server) {
    let answers: readonly string[] = [];
    let next = 0;
    const open = openUndici(new Agent({ connections: CONNECTIONS }), server, "shared", () => {
      next += 1;
      return { authorization: answers[next - 1] };
    });
    return {
      ...open,
      async prepare(reads) {
        const nonces = await server.nonces(Math.ceil(reads / USES_OF_A_NONCE));
        answers = precomputeAnswers(nonces, pathOf("shared"));
        next = 0;
      },
    };
  },
};

/** The interceptor, under one of the server's protections. */
export function interceptor(protection: Protection): Contender {
  return {
    name: "undici + pulumi-agent-log-config/digest",
    async open(server) {
      const dispatcher = new Agent({ connections: CONNECTIONS }).compose(digest({ ...CREDENTIALS, origins: [server.origin] }));
      return openUndici(dispatcher, server, protection);
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

function openUndici(
  dispatcher: Dispatcher,
  server: Server,
  protection: Protection,
  headers: () => Record<string, string | undefined> = () => ({}),
): OpenContender {
  const { origin } = server;
  const path = pathOf(protection);
  const read = async (): Promise<unknown> => {
    const { body } = await dispatcher.request({ origin, path, method: "GET", headers: headers() });
    return body.json();
  };
  return {
    run: (reads, atATime) => runReads(read, reads, atATime),
    close: () => dispatcher.destroy(),
  };
}
