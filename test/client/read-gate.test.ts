import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/errors.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { type RefusalHeaders, serviceError } from "../../sdk/client/service-error.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How a read ends, at once or after some seconds; undefined where it succeeds. */
interface End {
  readonly error?: Error;
  readonly afterSeconds?: number;
}

function refused(status: number, errorCode?: string, headers: RefusalHeaders = {}): End {
  return { error: serviceError(status, { errorCode }, "Can't read a", { challenge: "fresh", ...headers }) };
}

const SUCCESS: End = {};
const NO_RESPONSE = new AgentLogConfigError("ERR_TIMEOUT", "no response within 30 s", { subject: "Can't read a" });
const CUT = new AgentLogConfigError("ERR_CONNECTION", "the connection was cut", { subject: "Can't read a" });

const ENDS = {
  read: SUCCESS,
  "wrong key": refused(401),
  "owner gone": refused(401, "NO_CURRENT_USER"),
  "no role (401)": refused(401, "USER_UNAUTHORIZED"),
  "no role (403)": refused(403, "USER_UNAUTHORIZED"),
  "no member": refused(401, "NOT_IN_GROUP"),
  "not on access list": refused(403, "IP_ADDRESS_NOT_ON_ACCESS_LIST"),
  "no project": refused(404, "GROUP_NOT_FOUND"),
  "not found": refused(404),
  "stale nonces": refused(401, undefined, { challenge: "stale" }),
  down: refused(503),
  "down, with a code": refused(503, "DOWN"),
  defect: refused(500),
  "defect for 60 s": refused(500, undefined, { retryAfterSeconds: 60 }),
  "down for 60 s": refused(503, undefined, { retryAfterSeconds: 60 }),
  "limited for 20 s": refused(429, "RATE_LIMITED", { retryAfterSeconds: 20 }),
  silent: { error: NO_RESPONSE, afterSeconds: 30 },
  cut: { error: CUT },
  "cut late": { error: CUT, afterSeconds: 5 },
  "given up": { error: new DOMException("aborted", "AbortError"), afterSeconds: 30 },
} satisfies Readonly<Record<string, End>>;

/** Sends a read that ends like this, and has 30 seconds. It says after how many seconds it was sent, or why it was not. */
function begin(gate: ReadGate, { error, afterSeconds = 0 }: End = SUCCESS): Promise<string | AgentLogConfigError> {
  const begunAt = performance.now();
  let end: string | undefined;
  const read = gate.pass({ subject: "Can't read b", left: () => 30_000, signal: undefined }, async () => {
    end = `sent after ${(performance.now() - begunAt) / 1000} s`;
    if (afterSeconds > 0) await pass(afterSeconds);
    if (error instanceof AgentLogConfigError) gate.pauseFor(error);
    if (error !== undefined) throw error;
  });
  return read.then(
    () => end ?? "not sent",
    (reason) => end ?? reason,
  );
}

const pass = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
const elapse = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

type EventName = keyof typeof ENDS;

/** A gate after these events, one after the other: a read that ends so, or seconds that pass. */
async function gateAfter(...events: readonly (EventName | number)[]): Promise<ReadGate> {
  const gate = new ReadGate();
  for (const event of events) {
    if (typeof event === "string") void begin(gate, ENDS[event]);
    const end: End = typeof event === "number" ? { afterSeconds: event } : ENDS[event];
    await elapse(end.afterSeconds ?? 0);
  }
  return gate;
}

/** What becomes of one more read. */
async function nextAt(gate: ReadGate): Promise<string> {
  const [next] = await Promise.all([begin(gate), elapse(100)]);
  return typeof next === "string" ? next : next.code;
}

const SENT = "sent after 0 s";
const times = <const Name>(count: number, name: Name): readonly Name[] => Array<Name>(count).fill(name);

it.each<readonly [next: string, order: readonly (EventName | number)[]]>([
  // A key or a caller that is refused from the start.
  ["ERR_WRONG_KEY", ["wrong key"]],
  ["ERR_WRONG_KEY", ["no role (401)"]],
  ["ERR_WRONG_KEY", ["owner gone"]],
  ["ERR_ACCESS_LIST", ["not on access list"]],
  ["ERR_WRONG_KEY", ["given up", "wrong key"]],
  ["ERR_WRONG_KEY", ["not found", "wrong key"]],
  ["ERR_WRONG_KEY", ["down, with a code", "wrong key"]],
  ["ERR_WRONG_KEY", ["wrong key", 3600]],
  // One that was accepted before.
  [SENT, ["read", "wrong key"]],
  [SENT, ["read", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "owner gone", "owner gone", "owner gone"]],
  ["ERR_WRONG_KEY", ["read", "no role (401)", "no role (401)", "no role (401)"]],
  ["ERR_ACCESS_LIST", ["read", "not on access list", "not on access list", "not on access list"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "not on access list", "owner gone"]],
  ["ERR_WRONG_KEY", ["no project", "wrong key", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["no role (403)", "wrong key", "wrong key", "wrong key"]],
  [SENT, ["no project", "not on access list"]],
  [SENT, ["no role (403)", "wrong key"]],
  [SENT, ["no member", "wrong key"]],
  // What is between refusals.
  [SENT, ["read", "wrong key", "wrong key", "read", "wrong key", "wrong key"]],
  [SENT, ["read", "wrong key", "wrong key", "no project", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "down", "wrong key", "down, with a code", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "not found", "wrong key", "stale nonces", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "given up", "wrong key", "wrong key"]],
  // Projects that the key may not read say nothing of others.
  [SENT, [...times(20, "no role (403)")]],
  [SENT, [...times(20, "no member")]],
  [SENT, [...times(20, "no project")]],
  // A service that asks for no requests for a time.
  ["sent after 20 s", ["read", "limited for 20 s"]],
  ["sent after 15 s", ["limited for 20 s", 5]],
  [SENT, ["limited for 20 s", 20]],
  ["ERR_UNAVAILABLE", ["down for 60 s"]],
  ["ERR_UNAVAILABLE", ["read", "down for 60 s", 29]],
  ["sent after 30 s", ["down for 60 s", 30]],
  [SENT, ["down for 60 s", 60]],
  ["ERR_UNAVAILABLE", ["down for 60 s", "limited for 20 s", 29]],
  ["ERR_UNAVAILABLE", ["limited for 20 s", 19, "down for 60 s", 3]],
  [SENT, ["defect for 60 s"]],
  // A service that is silent.
  [SENT, [...times(15, "silent")]],
  ["ERR_TIMEOUT", [...times(16, "silent")]],
  ["ERR_TIMEOUT", ["read", ...times(16, "silent")]],
  ["ERR_TIMEOUT", [...times(16, "cut late")]],
  [SENT, [...times(40, "cut")]],
  ["ERR_TIMEOUT", [...times(8, "silent"), "cut", "given up", ...times(8, "silent")]],
  [SENT, [...times(15, "silent"), "read", "silent"]],
  [SENT, [...times(15, "silent"), "down", "silent"]],
  [SENT, [...times(15, "silent"), "not found", "silent"]],
  // It is tried again once a minute.
  ["ERR_TIMEOUT", [...times(16, "silent"), 59]],
  [SENT, [...times(16, "silent"), 60]],
  ["ERR_TIMEOUT", [...times(16, "silent"), 60, "silent"]],
  [SENT, [...times(16, "silent"), 60, "read", ...times(15, "silent")]],
])("the next read is %s after these: %j", async (next, order) => {
  expect(await nextAt(await gateAfter(...order))).toBe(next);
});

it.each<readonly [isOutage: boolean, order: readonly EventName[]]>([
  [false, ["down", "down"]],
  [true, ["down", "silent", "cut"]],
  [false, ["down", "down", "read", "down"]],
  [false, ["down", "down", "not found", "down"]],
  [false, ["down", "down", "down", "read"]],
  [false, ["defect", "defect", "defect", "defect"]],
  [true, ["down", "down", "defect", "down"]],
])("it is an outage (%s) after these: %j", async (isOutage, order) => {
  expect((await gateAfter(...order)).isOutage).toBe(isOutage);
});

it.each<readonly [message: RegExp, details: object, order: readonly EventName[]]>([
  [/^Can't read b: the service refuses the key pair; check .* \(status 401\)\. See/, { status: 401 }, ["wrong key"]],
  [
    /^Can't read b: not sent, because the last 16 reads got no response within 30 s; check the service/,
    { temporary: true, status: undefined },
    times(16, "silent"),
  ],
  [
    /^Can't read b: the service has asked for no requests for the next 60 s; try again then, .* \(status 503\)\. See/,
    { temporary: true, status: 503, retryAfterSeconds: 60 },
    ["down for 60 s"],
  ],
])("a read that is not sent says why: %s", async (message, details, order) => {
  const error = await begin(await gateAfter(...order));
  expect(error).toMatchObject({ message: expect.stringMatching(message), ...details });
});

describe("reads at once", () => {
  /** Begins so many reads that end like this, and returns what becomes of each as far as it is known. */
  function beginMany(gate: ReadGate, count: number, end: End) {
    const ends: (string | AgentLogConfigError)[] = [];
    for (let index = 0; index < count; index += 1) void begin(gate, end).then((known) => ends.push(known));
    return ends;
  }

  it("wait until the first one ends, for five seconds at most, and leave no timer", async () => {
    const gate = new ReadGate();
    const first = begin(gate, { afterSeconds: 9 });
    const others = beginMany(gate, 20, SUCCESS);
    await elapse(4.999);
    expect(others).toEqual([]);
    await elapse(0.001);
    expect(others).toEqual(times(20, "sent after 5 s"));
    await elapse(4);
    expect(await first).toBe(SENT);
    expect(vi.getTimerCount()).toBe(0);
    void begin(gate, ENDS.silent);
    expect(await nextAt(gate)).toBe(SENT);
  });

  it("are not sent where the first one is refused", async () => {
    const gate = new ReadGate();
    void begin(gate, { ...ENDS["wrong key"], afterSeconds: 1 });
    const others = beginMany(gate, 20, SUCCESS);
    await elapse(1);
    expect(others).toEqual(times(20, expect.objectContaining({ code: "ERR_WRONG_KEY" })));
  });

  it("are sixteen without a response at most", async () => {
    const gate = await gateAfter("read");
    void begin(gate, { ...ENDS.silent, afterSeconds: 10 });
    beginMany(gate, 15, ENDS.silent);
    const others = beginMany(gate, 1000, SUCCESS);
    await elapse(29);
    expect(others).toEqual([]);
    await elapse(1);
    expect(others).toEqual(times(1000, expect.objectContaining({ code: "ERR_TIMEOUT", temporary: true })));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("go on as soon as one gets a response", async () => {
    const gate = await gateAfter("read");
    void begin(gate, { ...ENDS.silent, afterSeconds: 10 });
    void begin(gate, { afterSeconds: 12 });
    beginMany(gate, 14, ENDS.silent);
    const other = begin(gate);
    await elapse(12);
    expect(await other).toBe("sent after 12 s");
  });

  it("are one where a silent service is tried again", async () => {
    const gate = await gateAfter(...times(16, "silent"), 60);
    const [first, second] = [begin(gate, { afterSeconds: 3 }), begin(gate)];
    await elapse(3);
    expect(await Promise.all([first, second])).toEqual([SENT, "sent after 3 s"]);
  });

  it("wait for the longest time that a response asks for", async () => {
    const gate = await gateAfter("read");
    void begin(gate, { ...ENDS["down for 60 s"], afterSeconds: 1 });
    void begin(gate, { ...ENDS["limited for 20 s"], afterSeconds: 2 });
    await elapse(2);
    const [next] = await Promise.all([begin(gate), elapse(100)]);
    expect(next).toMatchObject({ retryAfterSeconds: 59 });
  });

  it("wait for pauses that follow each other for no longer than a read may take", async () => {
    const gate = await gateAfter("limited for 20 s");
    const waiting = begin(gate);
    for (const seconds of [10, 15]) {
      await elapse(seconds);
      gate.pauseFor(serviceError(429, {}, "Can't read c", { retryAfterSeconds: 20 }));
    }
    await elapse(100);
    expect(await waiting).toMatchObject({ code: "ERR_RATE_LIMITED", message: expect.stringMatching(/next 15 s/) });
  });

  it("that are given up while they wait are not sent", async () => {
    const gate = await gateAfter("limited for 20 s");
    const reason = new Error("enough");
    const controller = new AbortController();
    const send = vi.fn();
    const read = gate.pass({ subject: "", left: () => 30_000, signal: controller.signal }, send);
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
    await expect(gate.pass({ subject: "", left: () => 30_000, signal: controller.signal }, send)).rejects.toBe(reason);
    await elapse(100);
    expect(send).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
