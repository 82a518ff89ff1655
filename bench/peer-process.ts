// One package of peers/ in a process of its own: urllib changes sockets and undici for all of its process.
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { createRequire } from "node:module";
import { setDefaultCACertificates } from "node:tls";
import { CONNECTIONS, runReads } from "./contender.ts";
import { CREDENTIALS } from "./start-server.ts";

/** What the parent process asks for. It gets the outcome back. */
export interface Order {
  readonly reads: number;
  readonly atATime: number;
}

/** Reads the settings once, parsed. */
type Read = () => Promise<unknown>;

const require = createRequire(new URL("peers/package.json", import.meta.url));
const { username, password } = CREDENTIALS;

/** How each package's own documentation shows a read, with connections kept open. */
const PEERS: ReadonlyMap<string, (url: string) => Read> = new Map([
  ["urllib", openUrllib],
  ["digest-fetch", openDigestFetch],
  ["request", openRequest],
  ["@mhoc/axios-digest-auth", openAxiosDigestAuth],
  ["needle", openNeedle],
]);

interface Urllib {
  readonly HttpClient: new () => { request(url: string, options: object): Promise<{ readonly data: unknown }> };
}

function openUrllib(url: string): Read {
  const { HttpClient }: Urllib = require("urllib");
  const httpClient = new HttpClient();
  const options = { digestAuth: `${username}:${password}`, dataType: "json" };
  return async () => (await httpClient.request(url, options)).data;
}

type DigestFetch = new (username: string, password: string) => { fetch(url: string): Promise<Response> };

function openDigestFetch(url: string): Read {
  const { DigestClient }: { readonly DigestClient: DigestFetch } = require("digest-fetch");
  const digestClient = new DigestClient(username, password);
  return async () => (await digestClient.fetch(url)).json();
}

type Request = (options: object, callback: (error: unknown, response: unknown, body: unknown) => void) => void;

function openRequest(url: string): Read {
  const request: Request = require("request");
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const options = { url, json: true, agent, auth: { user: username, pass: password, sendImmediately: false } };
  return () =>
    new Promise((resolve, reject) => {
      request(options, (error, _response, body) => (error ? reject(error) : resolve(body)));
    });
}

interface AxiosDigestAuth {
  readonly default: new (
    options: typeof CREDENTIALS,
  ) => {
    request(options: object): Promise<{ readonly data: unknown }>;
  };
}

function openAxiosDigestAuth(url: string): Read {
  const { default: AxiosDigestAuth }: AxiosDigestAuth = require("@mhoc/axios-digest-auth");
  const httpsAgent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const axios = new AxiosDigestAuth(CREDENTIALS);
  return async () => (await axios.request({ method: "GET", url, httpsAgent })).data;
}

type Needle = (method: "get", url: string, options: object) => Promise<{ readonly body: unknown }>;

function openNeedle(url: string): Read {
  const needle: Needle = require("needle");
  // It never reads the body of a 401, so its connections stay taken. With a limit, it would soon wait forever.
  const agent = new Agent({ keepAlive: true });
  return async () => (await needle("get", url, { agent, auth: "digest", username, password })).body;
}

const [packageName = "", certificateFile = "", url = ""] = process.argv.slice(2);
setDefaultCACertificates([readFileSync(certificateFile, "utf8")]);
// The packages are old, and their deprecation warnings are not what is measured.
process.noDeprecation = true;

const read = PEERS.get(packageName)?.(url);
if (read === undefined) throw new Error(`There is no peer ${packageName}.`);
process.on("message", async ({ reads, atATime }: Order) => {
  process.send?.(await runReads(read, reads, atATime));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
