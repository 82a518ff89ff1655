import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { AgentLogConfigClient } from "pulumi-agent-log-config/client";
import { digest } from "pulumi-agent-log-config/digest";
import { Agent, Client, type Dispatcher, Pool } from "undici";
import peers from "./peers/package.json" with { type: "json" };
import { runReads } from "./run-reads.ts";
import { CREDENTIALS, PROJECT_ID, type Protection, pathOf, type Server, USES_OF_A_NONCE } from "./start-server.ts";

/** One way to read from a server behind Digest. It stays open for all rounds, as in a program. */
export interface Contender {
  readonly name: string;
  /** The shares of the limit's speed that it must reach. */
  readonly goals?: Readonly<Partial<Record<Pace, number>>>;
  /** Set if another process makes the reads, so that their CPU time is not known. */
  readonly hasOwnProcess?: true;
  /** Prepares what this many reads need, before the time is taken. */
  prepare?(reads: number): Promise<void>;
  /** Rejects if a read ends without the settings. */
  run(reads: number, atATime: number): Promise<void>;
}

/** How many reads are under way at a time. */
export const PACES = [1, 16] as const;
export type Pace = (typeof PACES)[number];

/** undici on a path without protection. */
export function plain(server: Server): Contender {
  return { name: "undici, without Digest", ...overUndici(new Agent({ connections: 16 }), server, "plain") };
}

/** The limit: nothing is faster than credentials that are computed before the time is taken. */
export function precomputed(server: Server): Contender {
  const agent = new Agent({ connections: 16 });
  const path = pathOf("shared");
  const credentials: string[] = [];
  return {
    name: "undici, credentials precomputed (the limit)",
    async prepare(reads) {
      credentials.length = 0;
      while (credentials.length < reads) {
        const { headers, body } = await agent.request({ origin: server.origin, path, method: "GET" });
        await body.dump();
        const authenticator = onChallenge(String(headers["www-authenticate"]));
        for (let use = 0; use < USES_OF_A_NONCE; use += 1) {
          // The same text in one piece: otherwise V8 would join its pieces within the time that is measured.
          credentials.push(Buffer.from(authenticator.authorize("GET", path), "latin1").toString("latin1"));
        }
      }
    },
    ...overUndici(agent, server, "shared", () => credentials.pop()),
  };
}

/** The interceptor on each connection, under one of the server's protections. */
export function interceptor(server: Server, protection: Protection = "shared", connections = 16): Contender {
  const authenticate = digest({ ...CREDENTIALS, origins: [server.origin] });
  const factory = (origin: URL, options: object) => new Client(origin, options).compose(authenticate);
  const name = "undici + pulumi-agent-log-config/digest";
  const goals = { 1: 0.9, 16: 0.88 };
  return { name, goals, ...overUndici(new Pool(server.origin, { connections, factory }), server, protection) };
}

/** Typed reads: the interceptor, repeats, a time limit, validation and errors. */
export function client({ origin, certificateFile }: Server): Contender {
  const { username: publicKey, password: privateKey } = CREDENTIALS;
  const caCertificate = readFileSync(certificateFile, "utf8");
  const reader = new AgentLogConfigClient({ baseUrl: `${origin}/shared`, publicKey, privateKey, caCertificate });
  return {
    name: "pulumi-agent-log-config/client",
    // At 16 at a time nothing hides what a read costs beside Digest: its time limit, its checks and its decoding.
    goals: { 1: 0.85 },
    run: (reads, atATime) => runReads(() => reader.get({ projectId: PROJECT_ID, agent: "monitoring" }), reads, atATime),
  };
}

/** www-authenticate only computes credentials, and its user has to send them. This is the least that works. */
export function wwwAuthenticate(server: Server): Contender {
  const name = `undici + www-authenticate ${peers.dependencies["www-authenticate"]}`;
  let authenticator: Authenticator | undefined;
  const authorize: Authorize = (challenge) => {
    if (challenge !== undefined) authenticator = onChallenge(challenge);
    return authenticator?.authorize("GET", pathOf("shared"));
  };
  return { name, ...overUndici(new Agent({ connections: 16 }), server, "shared", authorize) };
}

type Authenticator = { authorize(method: string, path: string): string };
type Create = (username: string, password: string) => (challenge: string) => Authenticator;
const require = createRequire(new URL("peers/package.json", import.meta.url));
const create: Create = require("www-authenticate");
const onChallenge = create(CREDENTIALS.username, CREDENTIALS.password);

/** `curl --digest`, one process for all reads of a run; undefined if it is not installed. */
export function curl({ origin, certificateFile }: Server): Contender | undefined {
  const version = /^curl (\S+)/.exec(spawnSync("curl", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1];
  if (version === undefined) return undefined;
  return {
    name: `curl --digest ${version}`,
    hasOwnProcess: true,
    async run(reads, atATime) {
      const { stdout } = await promisify(execFile)("curl", [
        ...["--silent", "--cacert", certificateFile, "--noproxy", "*", "--max-time", "30"],
        ...["--digest", "--user", `${CREDENTIALS.username}:${CREDENTIALS.password}`],
        ...["--output", "/dev/null", "--write-out", "%{http_code}\n"],
        ...(atATime === 1 ? [] : ["--parallel", "--parallel-max", String(atATime)]),
        // The fragment is not sent, so the server sees one and the same request.
        `${origin}${pathOf("shared")}#[1-${reads}]`,
      ]);
      if (stdout !== "200\n".repeat(reads)) throw new Error("A read of curl ended without the settings.");
    },
  };
}

/** Returns the credentials of the next request, if there are any; after a refusal it gets the challenge. */
type Authorize = (challenge?: string) => string | undefined;

function overUndici(dispatcher: Dispatcher, { origin }: Server, protection: Protection, authorize?: Authorize) {
  const path = pathOf(protection);
  const send = (challenge?: string) => {
    const authorization = authorize?.(challenge);
    const headers = authorization === undefined ? {} : { authorization };
    return dispatcher.request({ origin, path, method: "GET", headers });
  };
  const read = async (): Promise<unknown> => {
    const { statusCode, headers, body } = await send();
    if (statusCode !== 401) return body.json();
    await body.dump();
    return (await send(String(headers["www-authenticate"]))).body.json();
  };
  return { run: (reads: number, atATime: number) => runReads(read, reads, atATime) };
}
