import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { parseAgentLogConfigId } from "../../sdk/client/index.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { expectSafe } from "./expect-safe.ts";
import { MONITORING, openClient, openService, PROJECT_ID } from "./open-client.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

it.each([
  ["monitoring", "monitoringAgentConfig"],
  ["backup", "backupAgentConfig"],
] as const)("the %s agent's settings are read from its path, as uncompressed JSON", async (agent, name) => {
  const service = await openService();
  service.set(PROJECT_ID, agent, { logPath: "/l" });
  const read = openClient(service).get({ projectId: PROJECT_ID, agent });
  expect(await read).toMatchObject({ id: `${PROJECT_ID}/${agent}`, logPath: "/l" });
  expect(service.requests).toHaveLength(2);
  for (const { method, target, headers } of service.requests) {
    expect(`${method} ${target}`).toBe(`GET /api/public/v1.0/groups/${PROJECT_ID}/automationConfig/${name}`);
    expect(headers).toMatchObject({
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": `pulumi-agent-log-config/${packageJson.version}`,
    });
  }
});

const NOTHING = {
  logPath: undefined,
  logPathWindows: undefined,
  logRotate: {},
  username: undefined,
  configOverrides: {},
};
const TEXTS = {
  configOverrides: { maxSize: "536870912", enabled: false },
  logPath: "/var/log/monitoring-agent.log",
  logPathWindows: "%SystemDrive%\\monitoring-agent.log",
  username: "CN=agent,OU=ops",
};
const OTHERS = { numUncompressed: 5, percentOfDiskspace: 0.02, numTotal: 0 };

it.each<{ description: string; body: object; expected: object; logRotate?: object }>([
  { description: "nothing", body: {}, expected: {} },
  { description: "null", body: { logPath: null, logRotate: null, configOverrides: null }, expected: {} },
  {
    description: "what is empty",
    body: { logPath: "", logRotate: { sizeThresholdMB: null, numTotal: "" }, username: "", configOverrides: {} },
    expected: {},
  },
  {
    description: "every field",
    body: { ...TEXTS, logRotate: { sizeThresholdMB: 1000.0, timeDurationHrs: 24 } },
    expected: TEXTS,
    logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 },
  },
  {
    description: "the other spelling of the hours, and what else real services send",
    body: { logRotate: { timeThresholdHrs: 0.5, ...OTHERS } },
    expected: {},
    logRotate: { timeThresholdHrs: 0.5, ...OTHERS },
  },
  {
    description: "both names of the hours and of the uncompressed files, and numbers as strings",
    body: { logRotate: { timeDurationHrs: 24, timeThresholdHrs: 12, numUncompressed: "5.5", maxUncompressed: 7 } },
    expected: {},
    logRotate: { timeThresholdHrs: 12, numUncompressed: 5.5 },
  },
  {
    description: "numbers in any decimal form, texts without characters, and the older name of a number",
    body: {
      logRotate: {
        percentOfDiskspace: " 0.4 ",
        sizeThresholdMB: "1E+3",
        timeThresholdHrs: "2.5e-1",
        numTotal: " ",
        maxUncompressed: "07",
      },
    },
    expected: {},
    logRotate: { percentOfDiskspace: 0.4, sizeThresholdMB: 1000, timeThresholdHrs: 0.25, numUncompressed: 7 },
  },
  {
    description: "the older name of a number beside a text without characters",
    body: { logRotate: { numUncompressed: " ", maxUncompressed: "7", timeThresholdHrs: " ", timeDurationHrs: "24" } },
    expected: {},
    logRotate: { timeThresholdHrs: 24, numUncompressed: 7 },
  },
  {
    description: "nothing but what stands beside settings, which is dropped",
    body: { hasPassword: true, password: "p", sslPEMKeyFileWindows: "f", sslPEMKeyPwd: "p", hasSslPEMKeyPwd: true },
    expected: {},
  },
  {
    description: "other fields that real services send, which are dropped",
    body: { kerberosWindowsPassword: "p", ldapGroupDN: "CN=g", name: "7.6.0.1059-1", urls: { linux: {} } },
    expected: {},
  },
])("settings are understood where the body has $description", async ({ body, expected, logRotate }) => {
  const service = await openService({ settings: { [PROJECT_ID]: { monitoring: { ...body } } } });
  const { serviceVersion, ...settings } = await openClient(service).get(MONITORING);
  const all = { ...NOTHING, ...expected, logRotate: { ...logRotate } };
  expect(settings).toStrictEqual({ id: `${PROJECT_ID}/monitoring`, ...MONITORING, ...all });
  expect(serviceVersion?.versionString).toMatch(/^7\.0\.11/);
});

const BODY = Buffer.from('{"logPath":"/münchen.log"}');

it.each<readonly [string, Omit<CannedResponse, "status">]>([
  ["duplicate keys, of which the last one counts", { body: '{"logPath":"/first","logPath":"/münchen.log"}' }],
  ["an envelope beside them", { body: '{"logPath":"/münchen.log","status":404,"content":{"logPath":"/l"}}' }],
  ["fields that nobody knows beside them", { body: '{"logLevel":"info","logPath":"/münchen.log"}' }],
  ["the encoding none", { headers: { "Content-Encoding": "none" }, body: BODY }],
  ["a list of encodings that change nothing", { headers: { "Content-Encoding": "identity, , Identity" }, body: BODY }],
  ["the encoding gzip", { headers: { "Content-Encoding": "GZIP" }, body: gzipSync(BODY) }],
  ["the encoding x-gzip", { headers: { "Content-Encoding": "x-gzip" }, body: gzipSync(BODY) }],
  ["the encoding deflate", { headers: { "Content-Encoding": "deflate" }, body: deflateSync(BODY) }],
  ["headers of 100 kB", { headers: { "X-Long": "x".repeat(100_000) }, body: BODY }],
  ["a byte order mark", { body: `\uFEFF${BODY}` }],
])("settings are found in a response with %s, whether or not an envelope was asked for", async (_, response) => {
  const service = await openService();
  service.respondWith(() => ({ status: 200, ...response }));
  const client = openClient(service);
  for (const envelope of [true, false]) {
    expect(await client.get({ ...MONITORING, envelope })).toMatchObject({ logPath: "/münchen.log" });
  }
});

it.each([
  { body: { status: 200, content: { logPath: "/l" } }, logPath: "/l" },
  { body: { code: "200", result: { logPath: "/l" } }, logPath: "/l" },
  { body: { code: 200, data: {} }, logPath: undefined },
])("settings are taken out of the envelope %o only where one was asked for", async ({ body, logPath }) => {
  const service = await openService();
  service.respondWith(() => ({ status: 200, body: JSON.stringify(body) }));
  const client = openClient(service);
  expect(await client.get({ ...MONITORING, envelope: true })).toMatchObject({ logPath });
  await expect(client.get(MONITORING)).rejects.toMatchObject({ code: "ERR_INVALID_RESPONSE" });
});

it.each(['{"logPath":"/l"}', '{"logRotate":{"numTotal":0}}', '{"configOverrides":{"a":null}}'])(
  "settings are read from a server without Digest, such as a test double, where it has one: %s",
  async (body) => {
    const server = createServer((_, response) => void response.end(body));
    const client = openClient({ baseUrl: `http://127.0.0.1:${await listen(server)}` });
    expect(await client.get(MONITORING)).toMatchObject(JSON.parse(body));
  },
);

it("settings have overrides as they are, also with a key that would set a prototype", async () => {
  const service = await openService();
  const overrides = '{"__proto__":{"a":1},"b":2}';
  service.respondWith(() => ({ status: 200, body: `{"configOverrides":${overrides}}` }));
  const { configOverrides } = await openClient(service).get(MONITORING);
  expect(JSON.stringify(configOverrides)).toBe(overrides);
});

it("settings have overrides of many levels, with lists among them", async () => {
  const service = await openService();
  const client = openClient(service);
  const overrides = `${'{"a":'.repeat(200)}[1]${"}".repeat(200)}`;
  service.respondWith(() => ({ status: 200, body: `{"configOverrides":${overrides}}` }));
  const { configOverrides } = await client.get(MONITORING);
  expect(JSON.stringify(configOverrides)).toBe(overrides);
});

it.each([{ envelope: true }, { pretty: true }, { envelope: true, pretty: true }])(
  "settings are the same with %o",
  async (options) => {
    const service = await openService();
    const client = openClient(service);
    const plain = await client.get(MONITORING);
    expect(await client.get({ ...MONITORING, ...options })).toEqual(plain);
    const query = new URL(service.requests.at(-1)?.target ?? "", "http://localhost").searchParams;
    expect(Object.fromEntries(query)).toEqual(Object.fromEntries(Object.keys(options).map((name) => [name, "true"])));
  },
);

it.each([
  ["gitHash=0123; versionString=v20200901", { gitHash: "0123", versionString: "v20200901" }],
  ["gitHash=0123", { gitHash: "0123", versionString: undefined }],
  ["gitHash=abc<{%x; versionString=a b", { gitHash: undefined, versionString: undefined }],
  [undefined, undefined],
])("settings come with the version of the service as it is: %s", async (header, expected) => {
  const service = await openService();
  const headers = header === undefined ? {} : { "X-Vendor-Service-Version": header };
  service.respondWith(() => ({ status: 200, headers, body: "{}" }));
  expect((await openClient(service).get(MONITORING)).serviceVersion).toEqual(expected);
});

it.each<{ args: unknown; says: readonly string[] }>([
  { args: { ...MONITORING, projectId: "0123" }, says: ['projectId must be 24 hexadecimal digits, not "0123".'] },
  {
    args: { ...MONITORING, projectId: "a".repeat(23) },
    says: [`projectId must be 24 hexadecimal digits, not "${"a".repeat(23)}" (23 characters).`],
  },
  {
    args: { projectID: PROJECT_ID, provider: {} },
    says: [
      ": projectId is missing; agent is missing; the argument has unknown names: projectID, provider; the valid ones are",
      "; provider belongs in the options, which follow the arguments.",
    ],
  },
  { args: { ...MONITORING, projectId: 123 }, says: ["projectId must be 24 hexadecimal digits in quotes, not 123."] },
  { args: { ...MONITORING, projectId: "../../admin/0123456789ab" }, says: ["projectId must be"] },
  {
    args: { projectId: PROJECT_ID, agent: "backups", pretty: "yes", envelop: true },
    says: [
      'agent must be "monitoring" or "backup", not "backups"',
      'pretty must be a boolean, not "yes"',
      "unknown names: envelop;",
      "envelope",
    ],
  },
  { args: undefined, says: ["Nothing was read: the argument must be an object."] },
  { args: { projectId: "\u001b[2J<{%bad%}>\u202e", agent: "x".repeat(1000) }, says: ["projectId must be"] },
])("settings are not asked for where the arguments are $args", async ({ args, says }) => {
  const service = await openService();
  const untyped: { get(args: unknown): Promise<unknown> } = openClient(service);
  const error = await untyped.get(args).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "AgentLogConfigError", code: "ERR_INVALID_ARG_VALUE" });
  for (const part of says) expect(error).toHaveProperty("message", expect.stringContaining(part));
  expectSafe(error);
  expect(service.requests).toHaveLength(0);
});

it.each([
  { options: null, says: "the options must be an object" },
  { options: 5, says: "the options must be an object" },
  { options: { signal: 5 }, says: "signal must be an AbortSignal" },
  { options: { signal: {} }, says: "signal must be an AbortSignal" },
])("settings are not asked for where the options are $options", async ({ options, says }) => {
  const service = await openService();
  const untyped: { get(args: unknown, options: unknown): Promise<unknown> } = openClient(service);
  const message = expect.stringMatching(`^Nothing was read: ${says}\\. See`);
  await expect(untyped.get(MONITORING, options)).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE", message });
  expect(service.requests).toHaveLength(0);
});

it.each([
  { id: `${PROJECT_ID}/mongod`, says: '/mongod" names no agent; the agents are monitoring and backup.' },
  { id: `${PROJECT_ID}/Backup`, says: '/Backup" names no agent; the agents are monitoring and backup.' },
  { id: `${PROJECT_ID}/`, says: "does not have the form <projectId>/<agent>" },
  { id: `${PROJECT_ID}/backup/`, says: "does not have the form <projectId>/<agent>" },
  { id: "0123/backup", says: "does not have the form <projectId>/<agent>" },
])("the id $id is refused", ({ id, says }) => {
  expect(() => parseAgentLogConfigId(id)).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_VALUE" }));
  expect(() => parseAgentLogConfigId(id)).toThrow(says);
});

it("settings are read over HTTP/1.1 from a service that would rather speak HTTP/2", async () => {
  const versions: string[] = [];
  const server = createSecureServer({ ...TLS, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.end('{"logPath":"/l"}');
  });
  const baseUrl = `https://localhost:${await listen(server)}`;
  await openClient({ baseUrl }, { caCertificate: CA_FILE }).get(MONITORING);
  expect(versions).toEqual(["1.1"]);
});
