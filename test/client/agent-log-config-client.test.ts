import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createConnection, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { inspect, promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  AgentLogConfigClient,
  AgentLogConfigError,
  type ConnectionOptions,
  type ReadArguments,
} from "../../sdk/client/index.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { type CannedResponse, type Service, type ServiceOptions, startService } from "../../sdk/testing/index.ts";
import { listen } from "../servers/listen.ts";
import { startProxyStandIn } from "../servers/proxy-stand-in.ts";
import { CA_FILE, TLS } from "./test-certificate.ts";

const PROJECT_ID = "0123456789abcdef01234567";
const MONITORING: ReadArguments = { projectId: PROJECT_ID, agent: "monitoring" };
const KEYS = { publicKey: "publickey", privateKey: "private-key-0001" };

async function open(
  connection: Partial<ConnectionOptions> = {},
  service: ServiceOptions = {},
): Promise<{ client: AgentLogConfigClient; service: Service }> {
  const started = await startService(service);
  onTestFinished(() => started.close());
  const options = { baseUrl: started.baseUrl, ...KEYS, allowHttp: true, maxRetries: 0, ...connection };
  const client = new AgentLogConfigClient(options);
  onTestFinished(() => client.close());
  return { client, service: started };
}

describe("get", () => {
  it.each([
    { description: "monitoring agent", agent: "monitoring", path: "monitoringAgentConfig" },
    { description: "backup agent", agent: "backup", path: "backupAgentConfig" },
  ] as const)("reads the $description from its path", async ({ agent, path: name }) => {
    const { client, service } = await open();
    service.set(PROJECT_ID, agent, { logPath: "/var/log/agent.log" });
    expect(await client.get({ projectId: PROJECT_ID, agent })).toMatchObject({
      id: `${PROJECT_ID}/${agent}`,
      logPath: "/var/log/agent.log",
    });
    const { method, target } = service.requests.at(-1) ?? {};
    expect(`${method} ${target}`).toBe(`GET /api/public/v1.0/groups/${PROJECT_ID}/automationConfig/${name}`);
  });

  it("asks for uncompressed JSON, and names the package and its version", async () => {
    const { client, service } = await open({}, { settings: { [PROJECT_ID]: {} } });
    await client.get(MONITORING);
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(manifest).toHaveProperty("version", service.requests[0]?.headers["user-agent"]?.split("/")[1]);
    for (const { headers } of service.requests) {
      expect(headers).toMatchObject({
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": expect.stringMatching(/^pulumi-agent-log-config\/\d+\.\d+\.\d+/),
      });
    }
  });

  const NOTHING = {
    logPath: undefined,
    logPathWindows: undefined,
    logRotate: undefined,
    username: undefined,
    configOverrides: undefined,
  };
  const NO_THRESHOLDS = {
    sizeThresholdMB: undefined,
    timeThresholdHrs: undefined,
    numUncompressed: undefined,
    percentOfDiskspace: undefined,
    numTotal: undefined,
  };

  it.each([
    { description: "nothing", body: {}, expected: NOTHING },
    {
      description: "null for everything",
      body: { logPath: null, logRotate: null, configOverrides: null },
      expected: NOTHING,
    },
    {
      description: "every field",
      body: {
        configOverrides: { maxSize: "536870912", enabled: false },
        logPath: "/var/log/monitoring-agent.log",
        logPathWindows: "%SystemDrive%\\monitoring-agent.log",
        logRotate: { sizeThresholdMB: 1000.0, timeDurationHrs: 24 },
        username: "CN=agent,OU=ops",
      },
      expected: {
        configOverrides: { maxSize: "536870912", enabled: false },
        logPath: "/var/log/monitoring-agent.log",
        logPathWindows: "%SystemDrive%\\monitoring-agent.log",
        logRotate: { ...NO_THRESHOLDS, sizeThresholdMB: 1000, timeThresholdHrs: 24 },
        username: "CN=agent,OU=ops",
      },
    },
    {
      description: "the other spelling of the hours, and what else real services send",
      body: { logRotate: { timeThresholdHrs: 0.5, numUncompressed: 5, percentOfDiskspace: 0.02, numTotal: 0 } },
      expected: {
        ...NOTHING,
        logRotate: {
          sizeThresholdMB: undefined,
          timeThresholdHrs: 0.5,
          numUncompressed: 5,
          percentOfDiskspace: 0.02,
          numTotal: 0,
        },
      },
    },
    {
      description: "both spellings of the hours",
      body: { logRotate: { timeDurationHrs: 24, timeThresholdHrs: 12 } },
      expected: { ...NOTHING, logRotate: { ...NO_THRESHOLDS, timeThresholdHrs: 12 } },
    },
    {
      description: "numbers as strings",
      body: { logRotate: { sizeThresholdMB: "1000.5" } },
      expected: { ...NOTHING, logRotate: { ...NO_THRESHOLDS, sizeThresholdMB: 1000.5 } },
    },
    {
      description: "credentials and unknown fields, which are dropped",
      body: { password: "p", sslPEMKeyPwd: "p", kerberosWindowsPassword: "p", name: "7.6.0.1059-1", urls: {} },
      expected: NOTHING,
    },
  ])("understands a body with $description", async ({ body, expected }) => {
    const { client, service } = await open();
    service.set(PROJECT_ID, "monitoring", body);
    const { serviceVersion, ...settings } = await client.get(MONITORING);
    expect(settings).toStrictEqual({ id: `${PROJECT_ID}/monitoring`, ...MONITORING, ...expected });
    expect(serviceVersion?.versionString).toMatch(/^7\.0\.11/);
  });

  it.each([
    { status: 200, content: { logPath: "/l" } },
    { code: "200", result: { logPath: "/l" }, ok: true },
    { logPath: "/l" },
  ])("takes settings out of an envelope, whatever its members are called: %o", async (body) => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: JSON.stringify(body) });
    for (const envelope of [true, false]) {
      expect(await client.get({ ...MONITORING, envelope })).toMatchObject({ logPath: "/l" });
    }
  });

  it("takes nothing out of settings that look like an envelope", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: '{"username":"u","status":404,"content":{"logPath":"/l"}}' });
    expect(await client.get({ ...MONITORING, envelope: true })).toMatchObject({ username: "u", logPath: undefined });
  });

  it.each([{ envelope: true }, { pretty: true }, { envelope: true, pretty: true }])(
    "gives the same result with %o",
    async (options) => {
      const { client, service } = await open();
      service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log" });
      const plain = await client.get(MONITORING);
      expect(await client.get({ ...MONITORING, ...options })).toEqual(plain);
      const query = new URL(service.requests.at(-1)?.target ?? "", "http://localhost").searchParams;
      expect(Object.fromEntries(query)).toEqual(Object.fromEntries(Object.keys(options).map((name) => [name, "true"])));
    },
  );

  it.each([
    { header: "gitHash=0123; versionString=v20200901", expected: { gitHash: "0123", versionString: "v20200901" } },
    { header: "gitHash=0123", expected: { gitHash: "0123", versionString: undefined } },
    { header: "gitHash=abc<{%x; versionString=a b", expected: { gitHash: undefined, versionString: undefined } },
    { header: "something else", expected: { gitHash: undefined, versionString: undefined } },
    { header: undefined, expected: undefined },
  ])("takes the version header as it comes: $header", async ({ header, expected }) => {
    const { client, service } = await open();
    service.respondWith({
      status: 200,
      headers: header === undefined ? {} : { "X-Vendor-Service-Version": header },
      body: "{}",
    });
    expect((await client.get(MONITORING)).serviceVersion).toEqual(expected);
  });

  it.each<{ args: unknown; says: readonly string[] }>([
    {
      args: { projectId: "0123", agent: "monitoring" },
      says: ['projectId must be 24 hexadecimal digits, not "0123".'],
    },
    {
      args: { projectId: 123, agent: "monitoring" },
      says: ["projectId must be 24 hexadecimal digits in quotes, not 123."],
    },
    { args: { projectId: "../../admin/0123456789ab", agent: "monitoring" }, says: ["projectId must be"] },
    {
      args: { projectId: PROJECT_ID, agent: "backups", pretty: "yes", envelop: true },
      says: [
        'agent must be "monitoring" or "backup", not "backups"',
        'pretty must be a boolean, not "yes"',
        "unknown names: envelop;",
        "envelope",
      ],
    },
    { args: undefined, says: ["an object is required"] },
    { args: { projectId: "\u001b[2J<{%bad%}>\u202e", agent: "x".repeat(1000) }, says: ["projectId must be"] },
  ])("refuses $args before anything is sent", async ({ args, says }) => {
    const { client, service } = await open();
    const untyped: { get(args: unknown): Promise<unknown> } = client;
    const error = await untyped.get(args).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "AgentLogConfigError", code: "ERR_INVALID_ARG_VALUE" });
    for (const part of says) expect(error).toHaveProperty("message", expect.stringContaining(part));
    expectSafe(error);
    expect(service.requests).toHaveLength(0);
  });
});

describe("refusals", () => {
  const REFUSALS = [
    [401, {}, "ERR_AUTHENTICATION", "does not ask for HTTP Digest"],
    [401, { errorCode: "NOT_IN_GROUP" }, "ERR_NOT_A_MEMBER", "invite the key"],
    [401, { errorCode: "USER_UNAUTHORIZED" }, "ERR_ROLE_MISSING", "give it Project Automation Admin"],
    [401, { errorCode: "NO_CURRENT_USER" }, "ERR_WRONG_KEY", "set a new key pair"],
    [400, { errorCode: "INVALID_QUERY_PARAMETER" }, "ERR_REFUSED", "leave out envelope and pretty"],
    [400, { errorCode: "RATE_LIMITED_IP" }, "ERR_RATE_LIMITED", "fewer projects"],
    [402, { errorCode: "ACCOUNT_SUSPENDED" }, "ERR_ACCOUNT_SUSPENDED", "the account is suspended"],
    [402, {}, "ERR_ACCOUNT_SUSPENDED", "payment is required"],
    [403, { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }, "ERR_ACCESS_LIST", "the address of this machine is not on"],
    [403, { errorCode: "IP_ADDRESS_NOT_ON_WHITELIST" }, "ERR_ACCESS_LIST", "the address of this machine is not on"],
    [403, { errorCode: "FEATURE_UNSUPPORTED" }, "ERR_UNSUPPORTED", "enable automation"],
    [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_PLAN" }, "ERR_UNSUPPORTED", "change the plan"],
    [403, { errorCode: "UNSUPPORTED_FOR_CURRENT_CONFIG" }, "ERR_UNSUPPORTED", "not managed by automation"],
    [404, { errorCode: "INVALID_GROUP_ID" }, "ERR_PROJECT_NOT_FOUND", "no such project"],
    [404, { errorCode: "GROUP_NOT_FOUND" }, "ERR_PROJECT_NOT_FOUND", "no such project"],
    [404, { errorCode: "AUTOMATION_CONFIG_NOT_FOUND" }, "ERR_NOT_AUTOMATED", "not managed by automation"],
    [404, { errorCode: "RESOURCE_NOT_FOUND" }, "ERR_NOT_FOUND", "check the path of baseUrl"],
    [404, {}, "ERR_NOT_FOUND", "check projectId and baseUrl"],
    [403, {}, "ERR_REFUSED", "give it Project Automation Admin on this project, and check its access list"],
    [408, {}, "ERR_UNAVAILABLE", "no request came in time"],
    [429, { errorCode: "RATE_LIMITED" }, "ERR_RATE_LIMITED", "fewer projects"],
    [429, {}, "ERR_RATE_LIMITED", "fewer projects"],
    [500, { errorCode: "UNEXPECTED_ERROR" }, "ERR_UNAVAILABLE", "read its log"],
    [502, {}, "ERR_UNAVAILABLE", "a gateway in front of the service"],
    [503, {}, "ERR_UNAVAILABLE", "under maintenance"],
    [503, { errorCode: "GROUP_NOT_FOUND" }, "ERR_UNAVAILABLE", "under maintenance"],
    [504, {}, "ERR_UNAVAILABLE", "no response in time"],
    [400, { errorCode: "toString" }, "ERR_REFUSED", "does not understand the request"],
    [410, {}, "ERR_REFUSED", "the service refuses the read"],
  ] as const;

  it.each(REFUSALS)("of status %i with %o are %s", async (status, body, code, says) => {
    const { client, service } = await open();
    service.respondWith({ status, body: JSON.stringify({ error: status, ...body }) });
    const link = `See https://www.npmjs.com/package/pulumi-agent-log-config#${code.toLowerCase()}\\.`;
    const message = expect.stringMatching(new RegExp(`${says}.*\\(status ${status}.*\\)\\. ${link}$`));
    await expect(client.get(MONITORING)).rejects.toMatchObject({ code, status, message });
  });

  it("come with the service's own words", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 418, body: '{"error":418,"errorCode":"TEAPOT","detail":"I brew."}' });
    const message = expect.stringContaining("the service refuses the read (status 418, TEAPOT: I brew).");
    await expect(client.get(MONITORING)).rejects.toMatchObject({ errorCode: "TEAPOT", message });
  });

  it.each([
    {
      description: "in an envelope on HTTP 200",
      body: { status: 404, content: { error: 404, errorCode: "GROUP_NOT_FOUND" } },
    },
    {
      description: "in an envelope with other names",
      body: { code: 404, payload: { errorCode: "GROUP_NOT_FOUND", badRequestDetail: {} } },
    },
    { description: "without the envelope on HTTP 200", body: { error: 404, errorCode: "GROUP_NOT_FOUND" } },
    {
      description: "beside the details of an error",
      body: { error: 404, errorCode: "GROUP_NOT_FOUND", badRequestDetail: { fields: [] } },
    },
    {
      description: "by their code alone",
      body: { error: { code: 404 }, errorCode: "GROUP_NOT_FOUND" },
      status: 200,
    },
  ])("are found $description", async ({ body, status = 404 }) => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: JSON.stringify(body) });
    for (const envelope of [true, false]) {
      const error = await client.get({ ...MONITORING, envelope }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "ERR_PROJECT_NOT_FOUND", status });
    }
  });

  it("of nonces that the service keeps forgetting are an outage, not a wrong key", async () => {
    const { client, service } = await open();
    service.set(PROJECT_ID, "monitoring", { logPath: "/l" });
    service.failNext(...Array.from({ length: 9 }, () => "forgetNonces" as const));
    await expect(client.get(MONITORING)).rejects.toMatchObject({ code: "ERR_UNAVAILABLE", temporary: true });
  });

  it("without a challenge never blame the key, with a status of its own or in an envelope", async () => {
    const { client, service } = await open();
    for (const envelope of [false, true]) {
      service.respondWith({ status: envelope ? 200 : 401, body: '{"status":401,"content":{"error":401}}' });
      const error = await client.get({ ...MONITORING, envelope }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "ERR_AUTHENTICATION", status: 401 });
      expect(String(error)).not.toContain("key pair");
    }
  });

  it("that ask for another kind of authentication read as one sentence", async () => {
    for (const [challenge, says] of [
      ['Digest realm="a" nonce', /malformed.*Digest realm="a" nonce.*check that baseUrl is the service.*\. See/],
      ['Basic realm="a"', /basic instead of Digest; check that baseUrl is the service, not a gateway/],
    ] as const) {
      const server = createHttpServer((_, response) =>
        response.writeHead(401, { "WWW-Authenticate": challenge }).end(),
      );
      const options = { baseUrl: `http://127.0.0.1:${await listen(server)}`, ...KEYS, allowHttp: true };
      const error = await new AgentLogConfigClient(options).get(MONITORING).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "ERR_AUTHENTICATION", message: expect.stringMatching(says) });
    }
  });
});

describe("responses that make no sense", () => {
  it.each([
    {
      description: "HTML",
      response: { headers: { "Content-Type": "text/html" }, body: "<html>" },
      says: /is a web page instead of JSON \(text\/html\)/,
    },
    { description: "nothing", response: { body: "" }, says: /is empty \(no content type\)/ },
    {
      description: "JSON that is cut off",
      response: { body: '{"logPath":"/var' },
      says: "is not JSON in UTF-8, or was cut off",
    },
    {
      description: "a status of another kind",
      response: { body: '{"status":{"toString":1},"content":{},"logPath":5}' },
      says: "logPath must be a string",
    },
    ...[
      { message: "Service is under maintenance" },
      { status: 302, content: {} },
      { ok: true, message: "login required" },
      { ok: true, status: 200, data: { user: "nobody" } },
      { error: { code: 404 }, errorCode: "TEAPOT" },
      { status: 100, content: {} },
      { code: 200, message: "login required", data: {} },
      { errorCode: "TEAPOT", logPath: "/l" },
      { status: 200, content: {}, data: {} },
      { status: 200, content: "nothing" },
      { status: 200, code: 404, content: {} },
      { status: 2000, content: {} },
    ].map((body) => ({
      description: JSON.stringify(body),
      response: { body: JSON.stringify(body) },
      says: /has none of the fields of log settings; check baseUrl|the response has status (?:302|100) instead of 200/,
    })),
    {
      description: "a number that JSON can't keep",
      response: { body: '{"configOverrides":{"a":[1,{"limit":1e999}]}}' },
      says: "configOverrides must not have a number beyond the limits of JSON",
    },
    { description: "a list", response: { body: "[]" }, says: "the body must be an object" },
    { description: "a number for a path", response: { body: '{"logPath":5}' }, says: "logPath must be a string" },
    {
      description: "a number that is too long to be one",
      response: { body: `{"logRotate":{"sizeThresholdMB":"${"9".repeat(400)}"}}` },
      says: "logRotate.sizeThresholdMB must be a number",
    },
    {
      description: "words for a number",
      response: { body: '{"logRotate":{"sizeThresholdMB":"many"}}' },
      says: "logRotate.sizeThresholdMB must be a number",
    },
    {
      description: "more than 1 MiB",
      response: { body: `"${"x".repeat(1_048_576)}"` },
      says: "longer than 1 MiB",
    },
    { description: "another status", response: { status: 204 }, says: "status 204" },
    {
      description: "a redirect, whose token is not shown",
      response: { status: 302, headers: { Location: "https://sso.example.com/login?token=body-token" } },
      says: /redirects to https:\/\/sso\.example\.com \(status 302\)/,
    },
    {
      description: "overrides nested 150,000 deep",
      response: { body: `{"configOverrides":${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}}` },
      says: "configOverrides must not be nested deeper than 100 levels",
    },
    {
      description: "a list of overrides",
      response: { body: '{"configOverrides":[]}' },
      says: "configOverrides must be an object",
    },
    {
      description: "a compression that nobody asked for",
      response: { headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" }, body: gzipSync("{}") },
      says: /is not JSON in UTF-8, or was cut off \(application\/json, gzip\)/,
    },
    {
      description: "another charset than UTF-8",
      response: { body: Buffer.from('{"logPath":"/var/log/m\xfcnchen.log"}', "latin1") },
      says: "is not JSON in UTF-8",
    },
  ])("are one clear error: $description", async ({ response, says }) => {
    const { client, service } = await open();
    service.respondWith({ status: 200, ...response });
    const error = await client.get(MONITORING).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ERR_INVALID_RESPONSE", message: expect.stringMatching(says) });
    expect(inspect(error)).not.toContain("body-token");
  });

  it("may begin with a byte order mark", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: '\uFEFF{"logPath":"/var/log/münchen.log"}' });
    expect(await client.get(MONITORING)).toMatchObject({ logPath: "/var/log/münchen.log" });
  });

  it("count as refusals by their status alone where it is one", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 403, headers: { "Content-Type": "text/html" }, body: "<h1>Forbidden</h1>" });
    await expect(client.get(MONITORING)).rejects.toMatchObject({ code: "ERR_REFUSED", status: 403 });
  });

  it("use the last of duplicate keys", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: '{"logPath":"/first","logPath":"/last"}' });
    expect(await client.get(MONITORING)).toMatchObject({ logPath: "/last" });
  });

  it.each([
    ['{"__proto__":{"a":1}}', "response configOverrides must not have the key __proto__"],
    ['{"b":[{"__proto__":1}]}', "response configOverrides must not have the key __proto__"],
  ])(
    "with a key that would set a prototype are refused by the name of the setting: %s",
    async (configOverrides, says) => {
      const { client, service } = await open();
      service.respondWith({ status: 200, body: `{"__proto__":{"a":1},"configOverrides":${configOverrides}}` });
      await expect(client.get(MONITORING)).rejects.toThrow(says);
    },
  );
});

describe("connections", () => {
  it("are made over TLS to a service of a private authority", async () => {
    const { client, service } = await open({ caCertificate: CA_FILE, allowHttp: false }, { tls: TLS });
    service.set(PROJECT_ID, "monitoring", { logPath: "/var/log/agent.log" });
    expect(await client.get(MONITORING)).toMatchObject({ logPath: "/var/log/agent.log" });
    const untrusting = new AgentLogConfigClient({ baseUrl: service.baseUrl, ...KEYS, maxRetries: 0 });
    onTestFinished(() => untrusting.close());
    await expect(untrusting.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_TLS",
      message: expect.stringContaining("set caCertificate"),
    });
  });

  it("that are refused say what to check", async () => {
    const { client, service } = await open();
    await service.close();
    await expect(client.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_CONNECTION",
      temporary: true,
      message: expect.stringContaining("nothing listens there"),
    });
  });

  it("that are cut say so", async () => {
    const { client, service } = await open();
    service.respondWith("reset");
    await expect(client.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_CONNECTION",
      message: expect.stringContaining("the connection was cut"),
    });
  });

  it("to a server that never responds end after timeoutSeconds", async () => {
    const silent = createServer();
    const port = await listen(silent);
    const client = new AgentLogConfigClient({
      baseUrl: `http://127.0.0.1:${port}`,
      ...KEYS,
      allowHttp: true,
      timeoutSeconds: 0.1,
    });
    await expect(client.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_TIMEOUT",
      message: expect.stringContaining("no response within 0.1 s"),
    });
  });

  it("that stop in the middle of a challenge are closed, and it is answered over another one", async () => {
    const server = createHttpServer(({ headers }, response) => {
      if (headers.authorization === undefined) {
        response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n", op="auth"' }).write("begin");
      } else response.end('{"logPath":"/l"}');
    });
    const options = { baseUrl: `http://127.0.0.1:${await listen(server)}`, ...KEYS, allowHttp: true, maxRetries: 0 };
    const client = new AgentLogConfigClient(options);
    onTestFinished(() => client.close());
    expect(await client.get(MONITORING)).toMatchObject({ logPath: "/l" });
  });

  it("end with the caller's signal, and the read with its reason", async () => {
    const { client, service } = await open();
    const reason = new Error("enough");
    await expect(client.get(MONITORING, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(service.requests).toHaveLength(0);
    const controller = new AbortController();
    const read = client.get(MONITORING, { signal: controller.signal });
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
  });

  it("end with the caller's signal while TLS is not agreed on", async () => {
    const silent = createServer();
    const port = await listen(silent);
    const client = new AgentLogConfigClient({ baseUrl: `https://127.0.0.1:${port}`, ...KEYS });
    const controller = new AbortController();
    silent.once("connection", () => controller.abort(new Error("enough")));
    await expect(client.get(MONITORING, { signal: controller.signal })).rejects.toThrow("enough");
    const late = setTimeout(5000, "late", { signal: AbortSignal.timeout(6000) });
    expect(await Promise.race([client.close(), late])).not.toBe("late");
  });

  it("are not opened for reads that are given up while they wait", async () => {
    const all = Promise.withResolvers<void>();
    let [connections, held, isSilent] = [0, 0, false];
    const server = createHttpServer(({ headers }, response) => {
      if (headers.authorization === undefined) {
        response.writeHead(401, { "WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"' }).end();
      } else if (!isSilent) response.end("{}");
      else if (++held === 16) all.resolve();
    });
    server.on("connection", () => {
      connections += 1;
    });
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    const client = new AgentLogConfigClient({ baseUrl, ...KEYS, allowHttp: true });
    await client.get(MONITORING);
    isSilent = true;
    const controllers = Array.from({ length: 1000 }, () => new AbortController());
    const reads = controllers.map(({ signal }) => client.get(MONITORING, { signal }).catch((error: unknown) => error));
    await all.promise;
    const reason = new Error("enough");
    for (const controller of controllers) controller.abort(reason);
    expect(new Set(await Promise.all(reads))).toEqual(new Set([reason]));
    isSilent = false;
    await client.get(MONITORING);
    await client.close();
    // Those whose requests were given up were closed.
    expect(connections).toBeLessThanOrEqual(32);
  });

  describe.each([{ way: "over TLS" }, { way: "through a proxy" }])("that have no socket yet $way", ({ way }) => {
    /** Leads to a service that does not speak until it is healthy: the listener, or the proxy, accepts and never answers. */
    async function openSilent(options: Partial<ConnectionOptions>) {
      const state = { isHealthy: false, connections: 0 };
      const healthy = await startService({ tls: TLS, settings: { [PROJECT_ID]: {} } });
      const proxy = await startProxyStandIn();
      const target = Number(new URL(way === "over TLS" ? healthy.baseUrl : proxy.origin).port);
      const relay = createServer((near) => {
        state.connections += 1;
        near.on("error", () => {});
        if (!state.isHealthy) return;
        const far = createConnection(target, "127.0.0.1").on("error", () => {});
        near.pipe(far).pipe(near);
        near.on("close", () => far.destroy());
      });
      const port = await listen(relay);
      if (way === "through a proxy") vi.stubEnv("https_proxy", `http://127.0.0.1:${port}`);
      const baseUrl = way === "over TLS" ? `https://127.0.0.1:${port}` : healthy.baseUrl;
      const client = new AgentLogConfigClient({ baseUrl, ...KEYS, caCertificate: CA_FILE, maxRetries: 0, ...options });
      onTestFinished(async () => {
        vi.unstubAllEnvs();
        await client.close();
        await healthy.close();
      });
      return { client, state };
    }

    it.each([1, 16])("are replaced where %i reads at once are given up by a signal", async (reads) => {
      const { client, state } = await openSilent({ timeoutSeconds: 5 });
      const controller = new AbortController();
      const ends = Array.from({ length: reads }, () => client.get(MONITORING, { signal: controller.signal }));
      await vi.waitUntil(() => state.connections === reads, { timeout: 4000 });
      controller.abort(new Error("enough"));
      for (const end of ends) await expect(end).rejects.toThrow("enough");
      state.isHealthy = true;
      await Promise.all(Array.from({ length: reads }, () => client.get(MONITORING)));
    });

    it.each([1, 16])("are replaced where the time of %i reads at once is over", async (reads) => {
      const { client, state } = await openSilent({ timeoutSeconds: 1 });
      const ends = Array.from({ length: reads }, () => client.get(MONITORING));
      for (const end of ends) await expect(end).rejects.toMatchObject({ code: "ERR_TIMEOUT" });
      state.isHealthy = true;
      await Promise.all(Array.from({ length: reads }, () => client.get(MONITORING)));
    });

    it("are replaced where the limit of an outage is over", { timeout: 30_000 }, async () => {
      const { client, state } = await openSilent({ timeoutSeconds: 9 });
      const gate = new ReadGate();
      const outage = new AgentLogConfigError("ERR_UNAVAILABLE", "it is down", { status: 503 });
      for (const project of ["a", "b", "c"]) await gate.pass(project, () => Promise.reject(outage)).catch(() => {});
      await expect(client.get(MONITORING, { gate })).rejects.toThrow("no response within 5 s");
      state.isHealthy = true;
      await client.get(MONITORING, { gate });
    });
  });

  it("are shared by more reads than there are connections", async () => {
    const { client, service } = await open({}, { settings: { [PROJECT_ID]: {} } });
    await Promise.all(Array.from({ length: 100 }, () => client.get(MONITORING)));
    // One challenge for each connection.
    expect(service.requests).toHaveLength(116);
  });

  it.each([
    { description: "503", response: { status: 503 } },
    { description: "429 with Retry-After", response: { status: 429, headers: { "Retry-After": "1" } } },
  ])(
    "carry the read of each of 300 projects in an outage, with at most 80 requests more: $description",
    async ({ response }) => {
      const { client, service } = await open({ maxRetries: 3 });
      service.respondWith(response);
      const gate = new ReadGate();
      const projectIds = Array.from({ length: 300 }, (_, index) => index.toString(16).padStart(24, "0"));
      const get = (projectId: string) => client.get({ projectId, agent: "monitoring" }, { gate });
      const reads = await Promise.allSettled(projectIds.map(get));
      expect(reads).toEqual(
        projectIds.map((id) => ({
          status: "rejected",
          reason: expect.objectContaining({ status: response.status, message: expect.stringContaining(id) }),
        })),
      );
      expect(service.requests.filter(({ status }) => status === response.status).length).toBeGreaterThanOrEqual(300);
      expect(service.requests.length).toBeLessThanOrEqual(380);
    },
  );

  it("that are not established when the client is closed do not keep the process alive", async () => {
    const silent = createServer();
    const baseUrl = `https://127.0.0.1:${await listen(silent)}`;
    const program = `
      const { AgentLogConfigClient } = await import(${JSON.stringify(new URL("../../sdk/client/index.ts", import.meta.url).href)});
      const client = new AgentLogConfigClient(${JSON.stringify({ baseUrl, ...KEYS })});
      const read = client.get(${JSON.stringify(MONITORING)}, { signal: AbortSignal.timeout(100) });
      await read.catch(() => client.close());
      const end = performance.now();
      process.on("exit", () => process.stdout.write(String(performance.now() - end)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(Number(stdout)).toBeLessThan(2000);
  });
});

it("speaks HTTP/1.1 with a service that would rather speak HTTP/2", async () => {
  const versions: string[] = [];
  const server = createSecureServer({ ...TLS, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    response.end("{}");
  });
  const baseUrl = `https://localhost:${await listen(server)}`;
  const client = new AgentLogConfigClient({ baseUrl, ...KEYS, caCertificate: CA_FILE });
  onTestFinished(() => client.close());
  await client.get(MONITORING);
  expect(versions).toEqual(["1.1"]);
});

describe("Retry-After", () => {
  it("is not waited for past timeoutSeconds", async () => {
    const { client, service } = await open({ maxRetries: 3, timeoutSeconds: 5 });
    service.respondWith({ status: 429, headers: { "Retry-After": "3600" } });
    const refusal = await client.get(MONITORING).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "ERR_RATE_LIMITED", retryAfterSeconds: 3600 });
    expect(service.requests.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it("of more than nine digits is a long time", async () => {
    const { client, service } = await open({ maxRetries: 3 });
    service.respondWith({ status: 503, headers: { "Retry-After": "9".repeat(400) } });
    await expect(client.get(MONITORING)).rejects.toMatchObject({ status: 503, retryAfterSeconds: 9_999_999_999 });
    expect(service.requests.filter(({ status }) => status === 503)).toHaveLength(1);
  });

  it.each(["1.5", "-1", "5,", "soon", "Sun, 06 Nov 2094 08:49:37 GMT"])("%s is ignored", async (wait) => {
    const { client, service } = await open();
    service.respondWith({ status: 429, headers: { "Retry-After": wait } });
    await expect(client.get(MONITORING)).rejects.toMatchObject({ retryAfterSeconds: undefined });
  });
});

it("says after how many seconds the service wants the next request", async () => {
  const { client, service } = await open();
  service.respondWith({ status: 429, headers: { "Retry-After": "120" } });
  const refusal = await client.get(MONITORING).catch(({ message }) => message);
  expect(refusal).toMatch(/try again in 120 s/);
  expect(refusal).not.toContain("minute");
});

it("fails with a stack that has the caller", async () => {
  const { client, service } = await open();
  service.respondWith({ status: 403 });
  const readInTheUsersCode = async () => [await client.get(MONITORING)];
  const error = await readInTheUsersCode().catch((reason: Error) => reason);
  expect(error).toMatchObject({ stack: expect.stringContaining("readInTheUsersCode") });
});

describe("close", () => {
  it("refuses reads from then on, also while others are under way", async () => {
    const { client } = await open();
    const read = client.get(MONITORING).catch((error: unknown) => error);
    const closed = client.close();
    await expect(client.get(MONITORING)).rejects.toMatchObject({
      code: "ERR_CLIENT_CLOSED",
    });
    await closed;
    expect(await read).toMatchObject({ code: "ERR_PROJECT_NOT_FOUND" });
  });

  it("waits for reads under way, those that wait for a challenge among them", async () => {
    const { client, service } = await open();
    service.set(PROJECT_ID, "monitoring", { logPath: "/l" });
    const reads = [client.get(MONITORING), client.get(MONITORING), client.get(MONITORING)];
    await client.close();
    expect(await Promise.all(reads)).toHaveLength(3);
  });
});

describe("hostile text of the service", () => {
  const HOSTILE = "<{%bad%}>\u001b[2J\u009b1m\u202e\u2028\ud800##vso[task.complete]##[error]".repeat(100);
  const json = (body: object) => ({ body: JSON.stringify(body) });
  /** As it comes over the wire in a header, where each character is one byte. */
  const header = "<{%bad%}>\u009b1m\u009d##VSO[task.complete]##[error]".repeat(100);
  const unsigned = (challenge: string) => ({ status: 401, headers: { "WWW-Authenticate": challenge } });

  it.each<readonly [string, CannedResponse]>([
    ["errorCode", { status: 418, ...json({ errorCode: HOSTILE }) }],
    ["detail", { status: 418, ...json({ detail: HOSTILE }) }],
    ["reason", { status: 418, ...json({ reason: HOSTILE }) }],
    ["redirect", { status: 302, headers: { Location: `https://${"a.".repeat(5000)}<{%/${header}` } }],
    ["redirect to another scheme", { status: 302, headers: { Location: `x<{%://${header}` } }],
    ["content type", { status: 200, headers: { "Content-Type": header }, body: "" }],
    ["content encoding", { status: 200, headers: { "Content-Encoding": header }, body: "" }],
    [
      "names of settings",
      { status: 200, body: JSON.stringify({ [HOSTILE]: 1, logRotate: { [HOSTILE]: 1, numTotal: HOSTILE } }) },
    ],
    [
      "names of overrides",
      { status: 200, body: `{"configOverrides":${`{${JSON.stringify(HOSTILE)}:`.repeat(101)}1${"}".repeat(101)}}` },
    ],
    ["scheme", unsigned(`Basic${header}`)],
    ["realm", unsigned(`Basic realm="${header}"`)],
    ["malformed challenge", unsigned(`Digest realm="a" ${header}`)],
    ["algorithm", unsigned(`Digest nonce="n", algorithm="${header}"`)],
    ["qop", unsigned(`Digest nonce="n", qop="${header}"`)],
  ])("reaches no message raw: %s", async (_, response) => {
    const { client, service } = await open();
    service.respondWith(response);
    const error = await client.get(MONITORING).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AgentLogConfigError);
    expectSafe(error);
  });

  it("is replaced character by character, and the rest stays", async () => {
    const { client, service } = await open();
    const detail = "a\nerror: fake\u001b[2J\u202e";
    service.respondWith({ status: 404, body: JSON.stringify({ error: 404, errorCode: "X\u001b[31m", detail }) });
    const error = await client.get(MONITORING).catch((reason: unknown) => reason);
    expect(String(error)).toContain("X\uFFFD[31m: a\uFFFDerror: fake\uFFFD[2J\uFFFD");
  });
});

/** The message is short, moves no cursor, turns no text around, and holds no colour of the Pulumi CLI and no command of a CI. */
function expectSafe(error: unknown): void {
  const { message } = error instanceof Error ? error : new Error("It is not an Error.");
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|<\{%|##(?:vso)?\[/iu);
  expect(message.length).toBeLessThan(1000);
}

describe("secrets", () => {
  it("are in no error of a broken response", async () => {
    const server = createServer((socket) => {
      socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n{"password":"body-password"}'));
    });
    const port = await listen(server);
    const options = { baseUrl: `http://127.0.0.1:${port}`, ...KEYS, allowHttp: true, maxRetries: 0 };
    const client = new AgentLogConfigClient(options);
    const error = await client.get(MONITORING).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ERR_CONNECTION" });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("body-password");
  });

  it("are in no error and in no client that is printed", async () => {
    const { client, service } = await open();
    service.respondWith({ status: 200, body: '{"password":"body-password","logPath":5}' });
    const error = await client.get(MONITORING).catch((reason: unknown) => reason);
    const printed = [client, error].map((value) => inspect(value, { depth: 9, showHidden: true })).join("\n");
    for (const secret of [KEYS.privateKey, "body-password", "response="]) expect(printed).not.toContain(secret);
  });
});
