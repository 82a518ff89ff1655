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

const THRESHOLDS = ["sizeThresholdMB", "timeThresholdHrs", "numUncompressed", "percentOfDiskspace", "numTotal"];
const KEYS_OF_BODIES = [
  ...["logPath", "logPathWindows", "logRotate", "username", "configOverrides", "password", ...THRESHOLDS],
  ...["status", "content", "error", "errorCode", "detail", "reason"],
  ...["__proto__", "constructor", "toString", "then", ""],
];
const NUMBERS = ["0", "-0", "1e999", "1e-999", "200", "404", "999", "0.02", "01", "NaN", "undefined"];
const TEXTS = [
  "",
  "24",
  "9".repeat(400),
  "\u001b[2J",
  "\u202e\u2028\n",
  "\ud800",
  "<{%bad%}>##[error]",
  "x".repeat(2000),
];

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary" })).map((value) => JSON.stringify(value));
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }).map(String));
const scalar = fc.oneof(fc.constantFrom("null", "true"), number, text);

/** JSON as text, so that a key can come twice and a value can be what no value of JavaScript would give. */
const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS_OF_BODIES), tie("value")), { maxLength: 7 })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`),
    fc.array(tie("value"), { maxLength: 4 }).map((values) => `[${values.join(",")}]`),
  ),
}));

/** Settings, each mostly of its type. */
const mostly = (fitting: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 20, arbitrary: fitting }, { weight: 1, arbitrary: jsonText });
const settings = fc
  .record(
    {
      logPath: mostly(text),
      logRotate: mostly(fc.tuple(fc.constantFrom(...THRESHOLDS), number).map(([key, value]) => `{"${key}":${value}}`)),
      username: mostly(text),
      configOverrides: jsonText,
    },
    { requiredKeys: [] },
  )
  .map((fields) => `{${Object.entries(fields).map(([key, value]) => `"${key}":${value}`)}}`);
const envelope = fc.tuple(number, settings).map(([status, content]) => `{"status":${status},"content":${content}}`);
const refusal = fc.tuple(text, text).map(([errorCode, detail]) => `{"errorCode":${errorCode},"detail":${detail}}`);
const nested = fc
  .record({ open: fc.constantFrom("[", '{"a":', '{"content":', '{"logRotate":'), levels: fc.nat({ max: 3000 }) })
  .map(({ open, levels }) => open.repeat(levels));

const wellFormed = fc
  .oneof(fc.constantFrom(...BODIES), settings, refusal, jsonText, envelope, nested)
  .map((json) => Buffer.from(json));
const bytes = fc.uint8Array({ maxLength: 200 }).map((values) => Buffer.from(values));
/** The start of one body, and other bytes. */
const cut = fc
  .tuple(wellFormed, fc.double({ min: 0, max: 1, noNaN: true }), fc.oneof(bytes, wellFormed))
  .map(([body, at, rest]) => Buffer.concat([body.subarray(0, at * body.length), rest]));

/** Every byte that a header's value can have (RFC 9110, section 5.5). */
const headerText = fc.stringMatching(/^[\t -~\x80-\xff]{0,60}$/);
const oneOf = (...values: readonly string[]) => fc.oneof(fc.constantFrom(...values), headerText);
const headers = fc.record(
  {
    "Content-Type": oneOf("application/json", "text/html; charset=\x9b", "a".repeat(5000)),
    "Content-Encoding": oneOf("gzip", "br, gzip", "identity", "x".repeat(100)),
    "Retry-After": fc.oneof(oneOf("0", "-1", "1e9", "9".repeat(400), "275761"), fc.array(headerText, { minLength: 2 })),
    "X-Vendor-Service-Version": oneOf("gitHash=", "versionString=;gitHash=a", ";".repeat(3000)),
    Location: oneOf("/", "http://127.0.0.1:1/"),
    ["__proto__"]: headerText,
  },
  { requiredKeys: [] },
);
/** A few only: most of these let no response pass. */
const digestHeaders = fc.record({ "WWW-Authenticate": oneOf("Digest", 'Digest realm="\xff", nonce="n", qop="auth"') });

const response: fc.Arbitrary<CannedResponse> = fc.record({
  status: fc.oneof({ weight: 9, arbitrary: fc.constant(200) }, fc.integer({ min: 200, max: 999 })),
  headers: fc.oneof({ weight: 9, arbitrary: headers }, digestHeaders),
  body: fc.oneof({ weight: 3, arbitrary: wellFormed }, cut, bytes),
});

it("returns typed settings or one AgentLogConfigError, whatever the response", async () => {
  const before = prototypes();
  const service = await openService();
  const client = openClient(service);
  await fc.assert(
    fc.asyncProperty(response, fc.boolean(), async (canned, envelope) => {
      service.respondWith(() => canned);
      await client.get({ ...MONITORING, envelope }).then(expectSettings, expectClearError);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  const after = prototypes();
  expect(after).toHaveLength(before.length);
  expect(after.every((part, index) => Object.is(part, before[index]))).toBe(true);
});

const optionalText: unknown = expect.toBeOneOf([expect.any(String), undefined]);

function expectSettings(result: AgentLogConfigResult): void {
  const { logRotate, configOverrides, serviceVersion } = result;
  expect(THRESHOLDS).toEqual(expect.arrayContaining(Object.keys(logRotate)));
  expect(result).toStrictEqual({
    id: `${MONITORING.projectId}/monitoring`,
    ...MONITORING,
    logPath: optionalText,
    logPathWindows: optionalText,
    logRotate: Object.fromEntries(Object.keys(logRotate).map((name) => [name, expect.toSatisfy(Number.isFinite)])),
    username: optionalText,
    configOverrides: configOverrides && expect.any(Object),
    serviceVersion: serviceVersion && { gitHash: optionalText, versionString: optionalText },
  });
  expect(Object.getPrototypeOf(configOverrides ?? {})).toBe(Object.prototype);
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
