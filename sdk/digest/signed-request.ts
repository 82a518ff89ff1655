import { type Dispatcher, errors } from "undici";
import { DigestExchange, type DigestSession } from "./digest-exchange.ts";
import { chooseDigestChallenge } from "./digest-scheme.ts";

/** A connection to the service, for one request at a time. */
export interface DigestConnection {
  /** Sends requests. A request whose dispatcher is destroyed fails, and is not sent again. */
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly session: DigestSession;
  /** The cookies of the server: a load balancer finds by them the server that made a nonce. */
  readonly cookies: {
    readonly header: string | undefined;
    keep(lines: string | readonly string[]): void;
  };
  /** A response has ended, or the head of a refusal has come. */
  noteResponse(): void;
  /**
   * Tells whether a request that has got no whole response may be sent again, because the server has closed an idle connection. It
   * returns true once for each socket.
   */
  mayResend(): boolean;
}

/** A request without credentials. */
export interface UnsignedRequest extends Dispatcher.DispatchOptions {
  readonly headers: Readonly<Record<string, string>>;
}

/** A response with its body as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
  /** What the server refuses with its challenge; undefined if it sends none, or knows the key. */
  readonly refusal?: "key" | "nonce";
  /** The request had credentials, with a nonce that is not stale. */
  readonly isSigned?: boolean;
}

/**
 * Sends a request as often as its challenges require. It returns the last response: a status other than 401, or a refusal.
 * @param provesKey tells whether a response of status 400 or more is one that the server gives to valid credentials alone
 * @throws UnusableChallenge if the server asks for credentials that this client can't make
 * @throws Error of undici if there is no whole response
 */
export async function sendSigned(
  connection: DigestConnection,
  request: UnsignedRequest,
  provesKey: (response: WireResponse) => boolean,
): Promise<WireResponse> {
  // A request that is given up is not sent over the dispatcher that comes after this one.
  const { dispatcher, session, cookies } = connection;
  const exchange = new DigestExchange(session);
  for (;;) {
    const headers: Record<string, string> = { ...request.headers };
    const authorization = exchange.sign(request.method, request.path);
    if (authorization !== undefined) headers["authorization"] = authorization;
    if (cookies.header !== undefined) headers["cookie"] = cookies.header;
    const response = await responseTo({ ...request, headers }, dispatcher, connection).catch((error) => {
      // After a replacement the connection is that of another request.
      if (connection.dispatcher !== dispatcher || !connection.mayResend()) throw error;
    });
    if (response === undefined) {
      // The server has closed the connection as the request was sent, which is sent again (RFC 9112, section 9.3.1).
      exchange.lostConnection();
      continue;
    }
    const { "set-cookie": lines } = response.headers;
    if (lines !== undefined) cookies.keep(lines);
    const reaction = reactTo(response, exchange, authorization !== undefined, provesKey);
    // The head of a challenge is enough, even if its body is cut.
    if (reaction === "sign") continue;
    if (response.error !== undefined) throw response.error;
    return { ...response, ...reaction };
  }
}

/** Tells the exchange of a response. Returns what follows from it, or `"sign"` if the request is to be signed anew and sent again. */
function reactTo(
  response: WireResponse,
  exchange: DigestExchange,
  hasCredentials: boolean,
  provesKey: (response: WireResponse) => boolean,
): "sign" | Pick<WireResponse, "refusal" | "isSigned"> {
  const { status, headers } = response;
  const { "www-authenticate": challenges } = headers;
  const challenge = status === 401 && challenges !== undefined ? chooseDigestChallenge(challenges) : undefined;
  const isSigned = hasCredentials && challenge?.stale !== true;
  const isKeyProved = status < 400 || (isSigned && provesKey(response));
  if (challenge === undefined || isKeyProved) {
    exchange.answered(isKeyProved);
    return { isSigned };
  }
  const refusal = exchange.refused(challenge);
  return refusal === "sign" ? refusal : { isSigned, refusal };
}

/** Has `error` if the body of a refusal is incomplete. An incomplete response of another status rejects. */
function responseTo(
  request: UnsignedRequest,
  dispatcher: DigestConnection["dispatcher"],
  connection: DigestConnection,
): Promise<WireResponse & { readonly error?: Error }> {
  return new Promise((resolve, reject) => {
    let response: Omit<WireResponse, "body"> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    dispatcher.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_, status, headers) {
        response = { status, headers };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        connection.noteResponse();
        resolve({ ...response, body: Buffer.concat(chunks) });
      },
      onResponseError(_, error) {
        const isHeadInvalid = response.status === 0 && error instanceof errors.ResponseContentLengthMismatchError;
        if (response.status === 401) {
          connection.noteResponse();
          resolve({ ...response, body: Buffer.of(), error });
        }
        // There is no body yet whose length could differ. undici reports this error instead of the one of its parser.
        else
          reject(isHeadInvalid ? new errors.HTTPParserError("Content-Length twice, or with Transfer-Encoding") : error);
      },
    });
  });
}
