import { Agent, Client, type Dispatcher, Pool, request } from "undici";
import { onTestFinished } from "vitest";
import { type DigestOptions, digest } from "../../sdk/digest/index.ts";
import { PASSWORD, USERNAME } from "./digest-server.ts";

/** An interceptor for this server, with the credentials of all test servers. */
export function digestFor(
  { origin }: { readonly origin: string },
  options: Partial<DigestOptions> = {},
): Dispatcher.DispatcherComposeInterceptor {
  return digest({ username: USERNAME, password: PASSWORD, origins: [origin], ...options });
}

/** Opens an agent with interceptors, the outermost last. Its connections end with the test. */
export function openAgent(...interceptors: readonly Dispatcher.DispatcherComposeInterceptor[]): Dispatcher {
  return closeAfterTest(new Agent()).compose(...interceptors);
}

export function openDigestAgent(server: { readonly origin: string }, options?: Partial<DigestOptions>): Dispatcher {
  return openAgent(digestFor(server, options));
}

/** Opens at most 16 connections, each of which has a session of its own. */
export function openConnections(server: { readonly origin: string }, options: Agent.Options = {}): Dispatcher {
  const authenticate = digestFor(server);
  const open = (origin: URL, opts: object) => new Client(origin, opts).compose(authenticate);
  return closeAfterTest(
    new Agent({ ...options, factory: (origin, opts) => new Pool(origin, { ...opts, connections: 16, factory: open }) }),
  );
}

export function closeAfterTest<Opened extends Dispatcher>(dispatcher: Opened): Opened {
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

/** Reads a response to its end and returns the status code. */
export async function readStatus(dispatcher: Dispatcher, url: string): Promise<number> {
  const { statusCode, body } = await request(url, { dispatcher });
  await body.dump();
  return statusCode;
}

/** Reads `count` times, `atATime` at a time, and returns how often each status came. */
export async function readMany(
  dispatcher: Dispatcher,
  url: string,
  count: number,
  atATime: number,
): Promise<Readonly<Record<number, number>>> {
  const statuses: Record<number, number> = {};
  let left = count;
  const reader = async () => {
    while (left > 0) {
      left -= 1;
      const status = await readStatus(dispatcher, url);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, reader));
  return statuses;
}
