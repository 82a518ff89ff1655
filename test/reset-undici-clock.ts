import { createRequire } from "node:module";
import { beforeAll } from "vitest";

/** undici keeps one timer for all connections of a process, and a test file before may have left it on a clock that stands still. */
const clockOfUndici: { reset(): void } = createRequire(import.meta.url)("undici/lib/util/timers.js");

beforeAll(() => clockOfUndici.reset());
