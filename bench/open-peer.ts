import { Agent } from "node:https";
import { createRequire } from "node:module";
import { CONNECTIONS } from "./connections.ts";
import { CREDENTIALS } from "./credentials.ts";
import { pathOf } from "./start-server.ts";

/** Reads the settings once, parsed. */
type Read = () => Promise<unknown>;

const { username, password } = CREDENTIALS;

/** A read with what people would use instead, in the way that its own documentation shows, connections kept open. */
export function openPeer(packageName: string, origin: string): Read {
  const open = PEERS.get(packageName);
  if (open === undefined) throw new Error(`There is no peer ${packageName}.`);
  return open(`${origin}${pathOf("shared")}`);
}

const PEERS: ReadonlyMap<string, (url: string) => Read> = new Map([
  ["urllib", openUrllib],
  ["digest-fetch", openDigestFetch],
  ["request", openRequest],
  ["@mhoc/axios-digest-auth", openAxiosDigestAuth],
  ["needle", openNeedle],
]);

const require = createRequire(new URL("peers/package.json", import.meta.url));

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
  // It never reads the body of a 401, so its connections stay taken: with a limit it would soon wait for ever.
  const agent = new Agent({ keepAlive: true });
  return async () => (await needle("get", url, { agent, auth: "digest", username, password })).body;
}
