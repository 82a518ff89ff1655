import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Deployment } from "./deployment.ts";
import { openDeployment } from "./open-deployment.ts";
import { type PropertyMap, type PropertyValue, parseProperties } from "./property-value.ts";

/** A call that an engine has made or answered, without what differs from one machine or run to the next. */
export interface RecordedCall {
  /** Such as "ResourceProvider/Check". */
  readonly method: string;
  readonly request: PropertyMap;
  readonly response?: PropertyMap;
  readonly error?: string;
}

export type Recording = readonly RecordedCall[];

export interface RecordOptions {
  readonly directory: string;
  readonly engine?: "real" | "stand-in";
  readonly env?: Readonly<Record<string, string>>;
  /** Texts of this machine or run and what stands for them, such as `{ "http://127.0.0.1:4711": "<base URL>" }`. */
  readonly masks?: Readonly<Record<string, string>>;
  /** What is done with a new stack while its calls are recorded. Use made-up credentials: they are recorded in clear. */
  readonly steps: (deployment: Deployment) => Promise<void>;
}

const methods =
  /^\/pulumirpc\.(ResourceProvider\/(?:Configure|Check|Diff|Create|Update|Read|Delete)|ResourceMonitor\/RegisterResource)$/;
const requestKeys = "id urn name type variables args olds news oldInputs ignoreChanges properties inputs object".split(
  " ",
);
const responseKeys = "urn id inputs properties object changes replaces failures".split(" ");

/**
 * Gives the recording in a fixture file. With RECORD_ENGINE_CALLS=1 in the environment it is made anew first:
 * `RECORD_ENGINE_CALLS=1 npx vitest run test/engine`, on a machine with a Pulumi CLI.
 */
export async function recordingOf(file: string, options: RecordOptions): Promise<Recording> {
  if (process.env["RECORD_ENGINE_CALLS"] === "1") {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(await recordCalls(options), null, 2)}\n`);
  }
  if (!existsSync(file)) throw new Error(`${file} is missing: record it with RECORD_ENGINE_CALLS=1`);
  return parseCalls(JSON.parse(readFileSync(file, "utf8")));
}

/** Records what an engine and a program's providers say to each other. */
export async function recordCalls(options: RecordOptions): Promise<Recording> {
  const folder = await mkdtemp(join(tmpdir(), "recording-"));
  const log = join(folder, "calls.json");
  const env = { ...options.env, PULUMI_DEBUG_GRPC: log };
  const deployment = await openDeployment({ directory: options.directory, engine: options.engine ?? "real", env });
  try {
    await options.steps(deployment);
    return readCalls(log, { ...options.masks, [options.directory]: "<directory>" });
  } finally {
    await deployment.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads what an engine has written for PULUMI_DEBUG_GRPC, and masks ports and uuids beside what is asked for. */
export function readCalls(log: string, masks: Readonly<Record<string, string>> = {}): Recording {
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  const calls = lines
    .map((line) => parseProperties(JSON.parse(line)))
    .filter((call) => call["response"] ?? call["errors"]);
  return calls.flatMap((call) => {
    const method = methods.exec(String(call["method"]))?.[1];
    if (method === undefined) return [];
    const [error] = Array.isArray(call["errors"]) ? call["errors"] : [];
    const outcome =
      error === undefined
        ? { response: picked(call["response"], responseKeys) }
        : { error: String(error).replace(/^rpc error: code = \w+ desc = /, "") };
    const masked = masker(masks)({ method, request: picked(call["request"], requestKeys), ...outcome });
    return parseCalls([masked]);
  });
}

/** The same calls in the same form: resources that do not depend on each other come in any order. */
export function inAnyOrder(recording: Recording): string[] {
  return recording.map((call) => JSON.stringify(call)).sort();
}

function parseCalls(value: unknown): Recording {
  if (!Array.isArray(value)) throw new Error("a recording is a list of calls");
  return value.map((entry) => {
    const { method, request, response, error } = parseProperties(entry);
    const call = { method: String(method), request: parseProperties(request) };
    return response === undefined
      ? { ...call, error: String(error) }
      : { ...call, response: parseProperties(response) };
  });
}

/** Only what tells something, in one order of keys. */
function picked(value: PropertyValue | undefined, keys: readonly string[]): PropertyMap {
  const map = parseProperties(value);
  const isFull = (key: string) => map[key] !== undefined && map[key] !== "";
  return Object.fromEntries(keys.filter(isFull).map((key) => [key, sorted(map[key] ?? null)]));
}

function sorted(value: PropertyValue): PropertyValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

function masker(masks: Readonly<Record<string, string>>): (value: PropertyValue) => PropertyValue {
  const maskText = (text: string) =>
    Object.entries(masks)
      .reduce((masked, [from, to]) => masked.replaceAll(from, to), text)
      .replace(/\b(?!04da6b54-80e4)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
      .replace(/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>");
  const mask = (value: PropertyValue): PropertyValue => {
    if (typeof value === "string") return maskText(value);
    if (Array.isArray(value)) return value.map(mask);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mask(entry)]));
  };
  return mask;
}
