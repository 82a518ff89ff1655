import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type PropertyMap, type PropertyValue, parseProperties } from "../stand-in-engine/property-value.ts";
import type { EngineName } from "./open-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** What an engine and the providers of a program say to each other while a test runs. */
export interface OpenRecording {
  /** For the deployment whose calls are recorded. Use made-up credentials: they are recorded in clear. */
  readonly env: Readonly<Record<string, string>>;
  /** Compares the calls with those in the fixture, in any order. */
  expectSame(): Promise<void>;
}

/**
 * Compares calls with a fixture that the real engine has made. With RECORD_ENGINE_CALLS=1 it is made anew:
 * `RECORD_ENGINE_CALLS=1 npx vitest run test/engine/life-of-a-resource.test.ts`, on a machine with a Pulumi CLI.
 */
export function openRecording(engine: EngineName, fixture: string): OpenRecording {
  const folder = temporaryFolder("recording");
  const log = join(folder, "calls.json");
  return {
    env: { PULUMI_DEBUG_GRPC: log },
    expectSame: async () => {
      const found = readCalls(log);
      const isAsked = process.env["RECORD_ENGINE_CALLS"] === "1";
      if (isAsked && engine === "real") await writeFile(fixture, `${JSON.stringify(found, null, 2)}\n`);
      const recorded: readonly unknown[] = JSON.parse(readFileSync(fixture, "utf8"));
      // Resources that do not depend on each other come in any order.
      expect(found).toHaveLength(recorded.length);
      expect(found).toEqual(expect.arrayContaining([...recorded]));
      expect(recorded).toEqual(expect.arrayContaining([...found]));
    },
  };
}

/** Reads what an engine has written for PULUMI_DEBUG_GRPC, without what differs from one machine or run to the next. */
function readCalls(log: string): readonly PropertyMap[] {
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  return lines.flatMap((line) => {
    const { method, request, response, errors } = parseProperties(JSON.parse(line));
    const name = METHODS.exec(String(method))?.[1];
    if (name === undefined || (response ?? errors) === undefined) return [];
    const [error] = Array.isArray(errors) ? errors : [];
    const outcome =
      error === undefined
        ? { response: picked(response, RESPONSE_KEYS) }
        : { error: String(error).replace(/^rpc error: code = \w+ desc = /, "") };
    const call = { method: name, request: picked(request, REQUEST_KEYS), ...outcome };
    return [parseProperties(JSON.parse(JSON.stringify(call), (_, value) => mask(value)))];
  });
}

const METHODS =
  /^\/pulumirpc\.(ResourceProvider\/(?:Configure|Check|Diff|Create|Update|Read|Delete)|ResourceMonitor\/RegisterResource)$/;
const REQUEST_KEYS = "id urn name type variables args olds news oldInputs ignoreChanges properties inputs object".split(
  " ",
);
const RESPONSE_KEYS = "urn id inputs properties object changes replaces failures".split(" ");

/** Only what tells something. */
function picked(value: PropertyValue | undefined, keys: readonly string[]): PropertyMap {
  const map = parseProperties(value);
  const isFull = (key: string) => map[key] !== undefined && map[key] !== "";
  return Object.fromEntries(keys.filter(isFull).map((key) => [key, map[key] ?? null]));
}

function mask(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value
    .replace(/\b(?!04da6b54-80e4)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
    .replace(/\b[0-9a-f]{16}\b/g, "<fingerprint>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>");
}
