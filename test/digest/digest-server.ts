import { DigestProtection, type NoncePolicy } from "../../sdk/testing/digest-protection.ts";
import { type LocalServer, type Respond, startLocalServer } from "./local-server.ts";

export const USERNAME = "publickey";
export const PASSWORD = "private-key-0001";

export interface DigestServerOptions {
  readonly nonces?: NoncePolicy;
  /** Responds to an accepted request. Default: 200 with the text `accepted`. */
  readonly respond?: Respond;
}

export interface DigestServer extends LocalServer {
  /** Cuts every connection and forgets every nonce. */
  restart(): void;
}

/** Starts a server behind HTTP Digest (MD5, qop=auth) that ends with the test. */
export async function startDigestServer(options: DigestServerOptions = {}): Promise<DigestServer> {
  const { nonces, respond = accept } = options;
  const protection = new DigestProtection({ realm: "test", username: USERNAME, password: PASSWORD, nonces });
  const server = await startLocalServer((request, response) => {
    const verdict = protection.judge(request.method, request.target, request.headers.authorization);
    if (verdict.accepted) {
      for (const [name, value] of Object.entries(verdict.headers)) response.setHeader(name, value);
      respond(request, response);
    } else {
      response.writeHead(401, { "WWW-Authenticate": verdict.challenge }).end("refused");
    }
  });
  return {
    ...server,
    restart() {
      protection.forgetNonces();
      server.cutConnections();
    },
  };
}

const accept: Respond = (_request, response) => {
  response.end("accepted");
};

/** Starts a server that gives each request the next of these responses, and the last one to all that follow. */
export async function startScriptedServer(...script: readonly [Respond, ...Respond[]]): Promise<LocalServer> {
  let step = 0;
  return await startLocalServer((request, response) => {
    const respond = script[Math.min(step, script.length - 1)];
    step += 1;
    respond?.(request, response);
  });
}

/** Responds 401 with these `WWW-Authenticate` lines. */
export function refuse(...challenges: readonly string[]): Respond {
  return (_request, response) => {
    response.writeHead(401, { "WWW-Authenticate": [...challenges] }).end("refused");
  };
}

/** Responds 200 with these headers. */
export function acceptWith(headers: Readonly<Record<string, string>>): Respond {
  return (_request, response) => {
    response.writeHead(200, headers).end("accepted");
  };
}
