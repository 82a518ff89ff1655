import { inspect } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  AgentLogConfigError,
  type AgentLogConfigErrorCode,
  type AgentLogConfigResult,
} from "../../sdk/client/index.ts";
import type { CannedResponse } from "../../sdk/testing/index.ts";
import { expectSafe } from "./expect-safe.ts";
import { KEYS, MONITORING, openClient, openService } from "./open-client.ts";

/** A failure prints the seed; FUZZ_SEED=<seed> repeats it. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_151_121);
/** FUZZ_RUNS=10000 looks longer. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 1000);

const BODIES: readonly string[] = [
  '{"logPath":"/var/log/agent.log","logPathWindows":"%SystemDrive%\\\\agent.log","logRotate":{"sizeThresholdMB":1000.0,"timeThresholdHrs":24,"numUncompressed":5,"percentOfDiskspace":0.02,"numTotal":0},"username":"CN=a","configOverrides":{"maxSize":"536870912","enabled":false},"password":"p"}',
  '{"logRotate":{"sizeThresholdMB":"1000","timeDurationHrs":"0.5"},"configOverrides":null}',
  '{"status":200,"content":{"logPath":"/l"}}',
  '{"status":404,"content":{"error":404,"errorCode":"GROUP_NOT_FOUND","detail":"No group.","parameters":["a"]}}',
  '{"error":401,"reason":"Unauthorized","detail":"You are not authorized for this resource."}',
];

const KEYS_OF_ROTATION = [
  ...["sizeThresholdMB", "timeThresholdHrs", "timeDurationHrs", "numUncompressed", "percentOfDiskspace", "numTotal"],
  ...["__proto__", "constructor"],
];
const KEYS_OF_BODIES = [
  ...["logPath", "logPathWindows", "logRotate", "username", "configOverrides", "password", "sslPEMKeyPwd"],
  ...KEYS_OF_ROTATION,
  ...["status", "content", "error", "errorCode", "detail", "reason", "parameters"],
  ...["prototype", "toString", "hasOwnProperty", "then", "toJSON", "valueOf", "length", ""],
];
const NUMBERS = ["0", "-0", "1e999", "-1e999", "1e-999", "200", "404", "999", "1e21", "0.02"];
const NO_NUMBERS = ["01", "NaN", "-", "+1", "0x10", "Infinity", "1.", "undefined"];
const STRINGS = [
  "",
  "24",
  "-1",
  "1e3",
  "0x10",
  "9".repeat(400),
  "\u001b[2J",
  "\u202e\u2028\n",
  "\ud800",
  "<{%bad%}>##[error]",
  "x".repeat(2000),
];

const text = fc.oneof(fc.constantFrom(...STRINGS), fc.string({ unit: "binary" })).map((value) => JSON.stringify(value));
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }).map(String));
const numeric = fc.oneof(
  number,
  number.map((digits) => `"${digits}"`),
  fc.constant(`"${"9".repeat(400)}"`),
);
const scalar = fc.oneof(
  { weight: 9, arbitrary: fc.oneof(fc.constantFrom("null", "true", "false"), number, text) },
  { weight: 1, arbitrary: fc.constantFrom(...NO_NUMBERS) },
);

/** JSON as text, so that a key can come twice and a value can be what no value of JavaScript would give. */
function objectOf(keys: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 7 })
    .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`);
}

const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    objectOf(KEYS_OF_BODIES, tie("value")),
    fc.array(tie("value"), { maxLength: 4 }).map((values) => `[${values.join(",")}]`),
  ),
}));

/** Mostly of the right types. */
const mostly = (fitting: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 20, arbitrary: fitting }, { weight: 1, arbitrary: jsonText });
const settings = fc
  .record(
    {
      logPath: mostly(text),
      logRotate: mostly(objectOf(KEYS_OF_ROTATION, mostly(numeric))),
      username: mostly(text),
      configOverrides: mostly(objectOf(KEYS_OF_BODIES, scalar)),
      password: scalar,
    },
    { requiredKeys: [] },
  )
  .map((fields) => `{${Object.entries(fields).map(([key, value]) => `"${key}":${value}`)}}`);

const envelope = fc
  .tuple(fc.oneof(fc.constantFrom(...NUMBERS), jsonText), fc.oneof(settings, jsonText))
  .map(([status, content]) => `{"status":${status},"content":${content}}`);

const nested = fc
  .record({
    open: fc.constantFrom("[", '{"a":', '{"__proto__":', '{"content":', '{"status":200,"content":', '{"logRotate":'),
    levels: fc.nat({ max: 3000 }),
    inner: jsonText,
    closed: fc.boolean(),
  })
  .map(({ open, levels, inner, closed }) => {
    return open.repeat(levels) + inner + (closed ? (open === "[" ? "]" : "}").repeat(levels) : "");
  });

const wellFormed = fc
  .oneof(fc.constantFrom(...BODIES), settings, objectOf(KEYS_OF_BODIES, jsonText), envelope)
  .map((text) => Buffer.from(text));
const place = fc.double({ min: 0, max: 1, noNaN: true });
const bytes = fc.uint8Array({ maxLength: 8 }).map((values) => Buffer.from(values));

const truncated = fc.tuple(wellFormed, place).map(([body, at]) => body.subarray(0, at * body.length));
const spliced = fc
  .tuple(wellFormed, place, wellFormed, place)
  .map(([first, end, second, start]) =>
    Buffer.concat([first.subarray(0, end * first.length), second.subarray(start * second.length)]),
  );
const overwritten = fc
  .tuple(wellFormed, fc.array(fc.tuple(place, bytes), { minLength: 1, maxLength: 4 }))
  .map(([body, patches]) =>
    patches.reduce((text, [at, patch]) => {
      const start = Math.floor(at * text.length);
      return Buffer.concat([text.subarray(0, start), patch, text.subarray(start + patch.length)]);
    }, body),
  );
const randomBytes = fc.uint8Array({ maxLength: 200 }).map((values) => Buffer.from(values));
const textBody = fc.oneof(jsonText, nested).map((text) => Buffer.from(text));

const body = fc.oneof({ weight: 5, arbitrary: wellFormed }, truncated, spliced, overwritten, randomBytes, textBody);

/** Every byte that a header's value can have (RFC 9110, section 5.5). */
const headerBytes = Array.from({ length: 256 }, (_, code) => code).filter(
  (code) => code === 9 || (code >= 32 && code !== 127),
);
const headerText = fc.string({
  unit: fc.constantFrom(...headerBytes).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const oneOf = (...values: readonly string[]) => fc.oneof(fc.constantFrom(...values), headerText);

const headers = fc.record(
  {
    "Content-Type": oneOf("application/json", "text/html; charset=\x9b", "a".repeat(5000)),
    "Content-Encoding": oneOf("gzip", "br, gzip", "identity", "x".repeat(100)),
    "Retry-After": fc.oneof(
      oneOf("0", "-1", "1e9", "999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT", "275761", "Infinity"),
      fc.array(headerText, { minLength: 2, maxLength: 3 }),
    ),
    "X-Vendor-Service-Version": oneOf(
      "gitHash=",
      "versionString=;gitHash=a",
      ";".repeat(3000),
      "gitHash=a; ".repeat(300),
    ),
    "x-__proto__-service-version": headerText,
    Location: oneOf("/", "http://127.0.0.1:1/"),
    ["__proto__"]: headerText,
    constructor: headerText,
  },
  { requiredKeys: [] },
);

/** A few only: most of these let no response pass. */
const digestHeaders = fc.record(
  {
    "WWW-Authenticate": oneOf(
      "Digest",
      'Digest realm="\xff", nonce="n", qop="auth"',
      "Basic",
      'Digest nonce="n", algorithm=X',
    ),
  },
  { requiredKeys: [] },
);

const response: fc.Arbitrary<CannedResponse> = fc.record({
  status: fc.oneof(
    { weight: 9, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.integer({ min: 200, max: 999 }) },
  ),
  headers: fc.oneof({ weight: 9, arbitrary: headers }, { weight: 1, arbitrary: digestHeaders }),
  body,
});

it("returns typed settings or one AgentLogConfigError, whatever the response", async () => {
  const before = prototypes();
  const service = await openService();
  const client = openClient(service);
  await fc.assert(
    fc.asyncProperty(response, fc.boolean(), async (canned, envelope) => {
      service.respondWith(canned);
      await client.get({ ...MONITORING, envelope }).then(expectSettings, expectClearError);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  const after = prototypes();
  expect(after).toHaveLength(before.length);
  expect(after.every((part, index) => Object.is(part, before[index]))).toBe(true);
});

const FIELDS = ["id", "projectId", "agent", "logPath", "logPathWindows", "logRotate", "username", "configOverrides"];
const THRESHOLDS = ["sizeThresholdMB", "timeThresholdHrs", "numUncompressed", "percentOfDiskspace", "numTotal"];

function expectSettings(result: AgentLogConfigResult): void {
  expectPlainObject(result, [...FIELDS, "serviceVersion"]);
  const { id, projectId, agent, logRotate, configOverrides, serviceVersion } = result;
  expect({ id, projectId, agent }).toEqual({ id: `${MONITORING.projectId}/monitoring`, ...MONITORING });
  for (const text of [result.logPath, result.logPathWindows, result.username]) expectOptional(text, "string");
  if (logRotate !== undefined) {
    expectPlainObject(logRotate, THRESHOLDS);
    for (const threshold of Object.values(logRotate)) expect(threshold ?? 0).toSatisfy(Number.isFinite);
  }
  if (configOverrides !== undefined) expectPlainObject(configOverrides, Object.keys(configOverrides));
  if (serviceVersion !== undefined) {
    expectPlainObject(serviceVersion, ["gitHash", "versionString"]);
    for (const text of Object.values(serviceVersion)) expectOptional(text, "string");
  }
}

function expectPlainObject(value: object, keys: readonly string[]): void {
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Reflect.ownKeys(value).sort()).toEqual([...keys].sort());
}

function expectOptional(value: unknown, type: string): void {
  expect([type, "undefined"]).toContain(typeof value);
}

function expectClearError(error: unknown): void {
  if (!(error instanceof AgentLogConfigError)) throw error;
  expect(CODES).toContain(error.code);
  expectSafe(error);
  const printed = inspect(error, { depth: 9, showHidden: true });
  for (const secret of [KEYS.privateKey, "response="]) expect(printed).not.toContain(secret);
}

/** What a response can lead to. */
const CODES: readonly AgentLogConfigErrorCode[] = [
  ...(["ERR_AUTHENTICATION", "ERR_WRONG_KEY", "ERR_NOT_FOUND", "ERR_PROJECT_NOT_FOUND", "ERR_RATE_LIMITED"] as const),
  ...(["ERR_UNAVAILABLE", "ERR_REFUSED", "ERR_INVALID_RESPONSE", "ERR_ACCOUNT_SUSPENDED"] as const),
];

/** Everything that every object, list, function and text has. */
function prototypes(): readonly unknown[] {
  return [Object, Array, Function, String].flatMap(({ prototype }) =>
    Reflect.ownKeys(prototype).flatMap((key) => [key, Object.getOwnPropertyDescriptor(prototype, key)?.value]),
  );
}
