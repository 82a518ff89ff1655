import { Agent, type Dispatcher, request } from "undici";
import { onTestFinished } from "vitest";
import { type DigestOptions, digest } from "../../sdk/digest/index.ts";
import { PASSWORD, USERNAME } from "./digest-server.ts";

/** The interceptor with the credentials of the test servers. */
export function digestWith(options: Partial<DigestOptions> = {}): Dispatcher.DispatcherComposeInterceptor {
  return digest({ username: USERNAME, password: PASSWORD, ...options });
}

/** An agent with interceptors, the outermost last, whose connections end with the test. */
export function openAgent(...interceptors: readonly Dispatcher.DispatcherComposeInterceptor[]): Dispatcher {
  return closeAfterTest(new Agent()).compose(...interceptors);
}

export function openDigestAgent(options: Partial<DigestOptions> = {}): Dispatcher {
  return openAgent(digestWith(options));
}

export function closeAfterTest<Opened extends Dispatcher>(dispatcher: Opened): Opened {
  onTestFinished(() => dispatcher.destroy());
  return dispatcher;
}

/** Reads to the end and gives the status code. */
export async function readStatus(dispatcher: Dispatcher, url: string): Promise<number> {
  const { statusCode, body } = await request(url, { dispatcher });
  await body.dump();
  return statusCode;
}

/** Reads this often, so many at a time, and gives how often each status came. */
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
