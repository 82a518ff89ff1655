import type { Dispatcher } from "undici";
import { chooseDigestChallenge } from "./digest-challenge.ts";
import { DigestExchange, type DigestState } from "./digest-exchange.ts";

/** A connection to the service, for one request at a time. */
export interface DigestConnection extends Pick<Dispatcher, "dispatch"> {
  readonly state: DigestState;
  /** The cookies of the server: a load balancer finds by them the server that made a nonce. */
  readonly cookies: { readonly header: string | undefined; keep(lines: string | readonly string[]): void };
  /** Closes this connection and opens another one in its place. */
  replace(): void;
  /** Closes it for good. */
  destroy(): Promise<void>;
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
}

/** A request that is sent as often as its challenges require. */
export class SignedRequest {
  readonly #connection: DigestConnection;
  readonly #request: UnsignedRequest;
  #sent: SentRequest | undefined;
  /** undefined as long as it may go on. */
  #givenUp: Error | undefined;

  constructor(connection: DigestConnection, request: UnsignedRequest) {
    this.#connection = connection;
    this.#request = request;
  }

  /**
   * Sends it. It returns the last response: a status other than 401, or a refusal of the credentials.
   * @throws UnusableChallenge if the server asks for credentials that this client can't make
   * @throws Error of undici if there is no whole response, or the reason for which it was given up
   */
  async send(): Promise<WireResponse> {
    const { state, cookies } = this.#connection;
    const exchange = new DigestExchange(state);
    for (;;) {
      const headers: Record<string, string> = { ...this.#request.headers };
      const authorization = exchange.sign(this.#request.method, this.#request.path);
      if (authorization !== undefined) headers["authorization"] = authorization;
      if (cookies.header !== undefined) headers["cookie"] = cookies.header;
      this.#sent = new SentRequest();
      this.#connection.dispatch({ ...this.#request, headers }, this.#sent);
      const { cut, ...response } = await this.#sent.outcome.promise;
      if (this.#givenUp !== undefined) throw this.#givenUp;
      const { "set-cookie": lines, "www-authenticate": challenges } = response.headers;
      if (lines !== undefined) cookies.keep(lines);
      if (response.status !== 401) exchange.accepted();
      // The head of a challenge is enough, even if its body is cut.
      else if (challenges !== undefined && exchange.refused(chooseDigestChallenge(challenges))) continue;
      if (cut !== undefined) throw cut;
      return response;
    }
  }

  /**
   * Gives up this request alone: `send` fails with the reason. A connection that has no socket for it yet is replaced, because the
   * next request would wait for that socket too.
   */
  giveUp(reason: Error): void {
    this.#givenUp = reason;
    if (this.#sent?.abort(reason) === false) this.#connection.replace();
  }
}

/** Collects the response to a request on the wire. */
class SentRequest implements Dispatcher.DispatchHandler {
  /** Has `cut` if the body of a refusal is incomplete. An incomplete response of another status rejects it. */
  readonly outcome = Promise.withResolvers<WireResponse & { readonly cut?: Error }>();
  /** undefined before the request has a socket. */
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: WireResponse["headers"] = {};
  readonly #chunks: Buffer[] = [];

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: WireResponse["headers"]): void {
    [this.#status, this.#headers] = [status, headers];
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.outcome.resolve(this.#collected());
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#status === 401) this.outcome.resolve({ ...this.#collected(), cut: error });
    else this.outcome.reject(error);
  }

  /** Fails with the reason. Returns whether the request has a socket, which is closed. */
  abort(reason: Error): boolean {
    this.outcome.reject(reason);
    this.#controller?.abort(new Error("The request was given up."));
    return this.#controller !== undefined;
  }

  #collected(): WireResponse {
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) };
  }
}
