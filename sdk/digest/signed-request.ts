import type { Dispatcher } from "undici";
import { chooseDigestChallenge, type DigestChallenge } from "./digest-challenge.ts";
import { DigestExchange, type DigestSession } from "./digest-exchange.ts";

/** A connection to the service, for one request at a time. */
export interface DigestConnection {
  /** Sends requests. A request whose dispatcher is destroyed fails, and is not sent again. */
  readonly dispatcher: Pick<Dispatcher, "dispatch">;
  readonly session: DigestSession;
  /** The cookies of the server: a load balancer finds by them the server that made a nonce. */
  readonly cookies: { readonly header: string | undefined; keep(lines: string | readonly string[]): void };
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
  /** What status 401 asks for; undefined where it asks for nothing, and for another status. */
  readonly challenge?: DigestChallenge | undefined;
}

/**
 * Sends a request as often as its challenges require. It returns the last response: a status other than 401, or a refusal.
 * @param isForKnownKey tells whether a response of status 400 or more is one that the server gives to valid credentials alone
 * @throws UnusableChallenge if the server asks for credentials that this client can't make
 * @throws Error of undici if there is no whole response
 */
export async function sendSigned(
  { dispatcher, session, cookies }: DigestConnection,
  request: UnsignedRequest,
  isForKnownKey: (response: WireResponse) => boolean,
): Promise<WireResponse> {
  const exchange = new DigestExchange(session);
  for (;;) {
    const headers: Record<string, string> = { ...request.headers };
    const authorization = exchange.sign(request.method, request.path);
    if (authorization !== undefined) headers["authorization"] = authorization;
    if (cookies.header !== undefined) headers["cookie"] = cookies.header;
    const { cut, ...response } = await responseTo({ ...request, headers }, dispatcher);
    const { "set-cookie": lines, "www-authenticate": challenges } = response.headers;
    if (lines !== undefined) cookies.keep(lines);
    const challenge =
      response.status === 401 && challenges !== undefined ? chooseDigestChallenge(challenges) : undefined;
    const isSigned = authorization !== undefined && challenge?.stale !== true;
    const provesKey = response.status < 400 || (isSigned && isForKnownKey(response));
    if (challenge === undefined || provesKey) exchange.answered(provesKey);
    // The head of a challenge is enough, even if its body is cut.
    else if (exchange.refused(challenge)) continue;
    if (cut !== undefined) throw cut;
    return { ...response, challenge };
  }
}

/** Has `cut` if the body of a refusal is incomplete. An incomplete response of another status rejects. */
function responseTo(
  request: UnsignedRequest,
  dispatcher: DigestConnection["dispatcher"],
): Promise<WireResponse & { readonly cut?: Error }> {
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
      onResponseEnd: () => resolve({ ...response, body: Buffer.concat(chunks) }),
      onResponseError(_, cut) {
        if (response.status === 401) resolve({ ...response, body: Buffer.of(), cut });
        else reject(cut);
      },
    });
  });
}
