import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ReadGate } from "../../sdk/client/read-gate.ts";
import { type ErrorFacts, serviceError } from "../../sdk/client/service-error.ts";
import { AgentLogConfigError } from "../../sdk/model/errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
  host.reachedAt = -Infinity;
});
afterEach(() => void vi.useRealTimers());

/** How a read ends, immediately or after some seconds; undefined if it succeeds. */
interface End {
  readonly error?: Error;
  readonly afterSeconds?: number;
  /** No connection could be opened for it. */
  readonly isUnreached?: boolean;
}

/** When a read has reached the host last. */
const host = { reachedAt: 0 };

function refused(status: number, errorCode?: string, facts: ErrorFacts = {}): End {
  return { error: serviceError(status, { error: status, errorCode }, "Can't read a", { refusal: "key", ...facts }) };
}

/** A refusal without what the service has in each of its own. */
function refusedByGateway(status: number, fields: object = {}): End {
  return { error: serviceError(status, { ...fields }, "Can't read a", { refusal: "key", isSigned: true }) };
}

const SUCCESS: End = {};
const NO_RESPONSE = new AgentLogConfigError("ERR_TIMEOUT", "no response within 30 s", { subject: "Can't read a" });
const CUT = new AgentLogConfigError("ERR_CONNECTION", "the connection was cut", { subject: "Can't read a" });
const DEFECT = new AgentLogConfigError("ERR_UNKNOWN", "x is not a function", { subject: "Can't read a" });

const ENDS = {
  read: SUCCESS,
  "wrong key": refused(401),
  "page of a gateway": refusedByGateway(401),
  "owner gone": refused(401, "NO_CURRENT_USER"),
  "no role (401)": refused(401, "USER_UNAUTHORIZED"),
  "not on access list": refused(403, "IP_ADDRESS_NOT_ON_ACCESS_LIST"),
  "no project": refused(404, "GROUP_NOT_FOUND"),
  "not found": refused(404),
  "unknown code": refused(404, "NEW_CODE"),
  "stale nonces": refused(401, undefined, { refusal: "nonce" }),
  down: refused(503),
  "down, with a code": refused(503, "DOWN"),
  defect: refused(500, "UNEXPECTED_ERROR"),
  // Of Spring Cloud Gateway.
  "failing gateway": refusedByGateway(500, { status: 500, error: "Internal Server Error" }),
  "down for a day": refused(503, undefined, { retryAfterSeconds: 86_400 }),
  limited: refused(429, "RATE_LIMITED"),
  "address limited": refused(400, "RATE_LIMITED_IP"),
  unreached: { error: CUT, afterSeconds: 11, isUnreached: true },
  slow: { afterSeconds: 20 },
  silent: { error: NO_RESPONSE, afterSeconds: 30 },
  cut: { error: CUT },
  "defect of the client": { error: DEFECT },
  "given up": { error: new DOMException("aborted", "AbortError"), afterSeconds: 30 },
} satisfies Readonly<Record<string, End>>;

/** Sends a read that ends like this. It says after how many seconds it was sent, or why it was not. */
function begin(
  gate: ReadGate,
  { error, afterSeconds = 0, isUnreached = false }: End = SUCCESS,
  signal?: AbortSignal,
): Promise<string | AgentLogConfigError> {
  const begunAt = performance.now();
  let end: string | undefined;
  const read = gate.pass({ subject: "Can't read b", signal }, async () => {
    end = `sent after ${(performance.now() - begunAt) / 1000} s`;
    if (!isUnreached) host.reachedAt = performance.now();
    if (afterSeconds > 0) await pass(afterSeconds);
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
  const gate = new ReadGate(host);
  for (const event of events) {
    if (typeof event === "string") void begin(gate, ENDS[event]);
    const end: End = typeof event === "number" ? { afterSeconds: event } : ENDS[event];
    // No two of them happen at the same time.
    await elapse((end.afterSeconds ?? 0) + 0.001);
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
  ["ERR_WRONG_KEY", ["owner gone"]],
  ["ERR_ACCESS_LIST", ["not on access list"]],
  ["ERR_WRONG_KEY", ["not found", "wrong key"]],
  ["ERR_WRONG_KEY", ["down", "down, with a code", "limited", "wrong key"]],
  ["ERR_WRONG_KEY", ["wrong key", 59]],
  [SENT, ["wrong key", 60]],
  [SENT, ["wrong key", 60, "read", "wrong key", "wrong key"]],
  // One that a gateway may have refused for one project alone.
  [SENT, times(2, "page of a gateway")],
  ["ERR_WRONG_KEY", times(3, "page of a gateway")],
  ["ERR_WRONG_KEY", ["page of a gateway", "wrong key"]],
  ["ERR_WRONG_KEY", [...times(2, "page of a gateway"), "not found", "page of a gateway"]],
  [SENT, [...times(2, "page of a gateway"), "no role (401)", ...times(2, "page of a gateway")]],
  // One that was accepted before.
  ["ERR_WRONG_KEY", ["read", "wrong key", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "not on access list", "owner gone"]],
  ["ERR_WRONG_KEY", ["no project", "wrong key", "wrong key", "wrong key"]],
  [SENT, ["no project", "not on access list"]],
  [SENT, ["no role (401)", "wrong key"]],
  // What is between refusals.
  [SENT, ["read", "wrong key", "wrong key", "read", "wrong key", "wrong key"]],
  [SENT, ["read", "wrong key", "wrong key", "no project", "wrong key", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "down", "wrong key", "down, with a code", "wrong key"]],
  ["ERR_WRONG_KEY", ["read", "wrong key", "not found", "wrong key", "stale nonces", "wrong key"]],
  // What one project fails with says nothing of others.
  [SENT, times(40, "no role (401)")],
  [SENT, times(40, "no project")],
  [SENT, times(40, "limited")],
  [SENT, times(40, "defect")],
  [SENT, ["read", "down for a day"]],
  // An outage.
  [SENT, times(31, "down")],
  ["ERR_UNAVAILABLE", times(32, "down")],
  ["ERR_UNAVAILABLE", times(32, "down for a day")],
  ["ERR_UNAVAILABLE", times(32, "failing gateway")],
  ["ERR_RATE_LIMITED", times(32, "address limited")],
  ["ERR_TIMEOUT", times(30, "silent")],
  ["ERR_UNAVAILABLE", [...times(31, "down"), "given up", "down"]],
  [SENT, [...times(31, "down"), "limited", "down"]],
  [SENT, [...times(31, "down"), "read", "down"]],
  [SENT, [...times(31, "down"), "not found", "down"]],
  [SENT, [...times(31, "down"), "defect of the client", "down"]],
  // One of a minute, from the start of the first read of it.
  [SENT, ["read", "silent", "silent"]],
  ["ERR_TIMEOUT", ["read", "silent", "silent", "silent"]],
  [SENT, ["silent", "slow", "silent"]],
  [SENT, ["down", "down", 58, "down"]],
  // A host that can't be reached.
  ["ERR_CONNECTION", ["unreached", 59]],
  [SENT, ["unreached", 60]],
  // It is tried again once a minute.
  ["ERR_UNAVAILABLE", [...times(32, "down"), 59]],
  [SENT, [...times(32, "down"), 60]],
  [SENT, [...times(32, "down"), 60, "read", ...times(31, "down")]],
])("the next read is %s after these: %j", async (next, order) => {
  expect(await nextAt(await gateAfter(...order))).toBe(next);
});

it.each<readonly [why: string, says: string, temporary: boolean, order: readonly (EventName | number)[]]>([
  ["the service has refused some", "the service refuses the key pair; check publicKey", false, ["wrong key"]],
  ["all reads have failed for a minute", "no response within 30 s", true, times(3, "silent")],
  ["the host could not be reached", "the connection was cut", true, ["unreached"]],
  [
    "all reads have failed for a minute",
    "the service, or a gateway in front of it, is overloaded",
    true,
    ["unreached", 60, "down", "down"],
  ],
  [
    "the last 32 reads have failed",
    "the service, or a gateway in front of it, is overloaded",
    true,
    times(32, "down for a day"),
  ],
])("a read that is not sent, because %s, says what the last one said: %s", async (why, says, temporary, order) => {
  const gate = await gateAfter(...order);
  const error = await begin(gate);
  expect(error).toMatchObject({ temporary, status: undefined, retryAfterSeconds: undefined });
  expect(String(error)).toContain(`: Can't read b: ${says}`);
  expect(String(error)).toMatch(new RegExp(`#err_\\w+\\. No more reads are sent, because ${why}\\.$`));
});

it.each([NO_RESPONSE, new Error("enough")])(
  "a read that its caller has given up says nothing, for %s",
  async (reason) => {
    const gate = new ReadGate(host);
    const signal = AbortSignal.abort(reason);
    for (let count = 0; count < 40; count += 1) await gate.pass({ subject: "", signal: undefined }, async () => {});
    const controllers = times(40, "controller").map(() => new AbortController());
    for (const controller of controllers) {
      const read = gate.pass({ subject: "", signal: controller.signal }, async () => {
        controller.abort(signal.reason);
        throw signal.reason;
      });
      await expect(read).rejects.toBe(reason);
    }
    expect(await nextAt(gate)).toBe(SENT);
  },
);

describe("reads at once", () => {
  /** Begins so many reads that end like this, and returns what becomes of each as far as it is known. */
  function beginMany(gate: ReadGate, count: number, end: End) {
    const ends: (string | AgentLogConfigError)[] = [];
    for (let index = 0; index < count; index += 1) void begin(gate, end).then((known) => ends.push(known));
    return ends;
  }

  it("wait until the first one ends, for five seconds at most, and leave no timer", async () => {
    const gate = new ReadGate(host);
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

  it("try the key one after the other where callers give them up, for five seconds at most", async () => {
    const gate = new ReadGate(host);
    const controller = new AbortController();
    void begin(gate, { ...ENDS["given up"], afterSeconds: 1 }, controller.signal);
    controller.abort();
    const others = beginMany(gate, 20, { ...ENDS["wrong key"], afterSeconds: 2 });
    await elapse(3);
    expect(others.filter((end) => typeof end === "string")).toEqual(["sent after 1 s"]);
  });

  it("try a key one after the other as long as its refusals are in doubt", async () => {
    const gate = new ReadGate(host);
    const ends = beginMany(gate, 20, { ...ENDS["page of a gateway"], afterSeconds: 1 });
    await elapse(3);
    expect(ends.filter((end) => typeof end === "string")).toEqual([0, 1, 2].map((time) => `sent after ${time} s`));
    expect(ends).toHaveLength(20);
  });

  it("are not sent where the first one is refused", async () => {
    const gate = new ReadGate(host);
    void begin(gate, { ...ENDS["wrong key"], afterSeconds: 1 });
    const others = beginMany(gate, 20, SUCCESS);
    await elapse(1);
    expect(others).toEqual(times(20, expect.objectContaining({ code: "ERR_WRONG_KEY" })));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are sent after one that takes longer than a minute and fails, if others were read meanwhile", async () => {
    const gate = await gateAfter("read");
    void begin(gate, { error: NO_RESPONSE, afterSeconds: 90 });
    for (let seconds = 0; seconds < 80; seconds += 10) {
      void begin(gate);
      await elapse(10);
    }
    await elapse(10);
    expect(await nextAt(gate)).toBe(SENT);
  });

  it.each([
    { description: "one is under way that has reached the host after that", last: 1, next: SENT },
    { description: "one is under way that had reached the host before", last: -1, next: "ERR_CONNECTION" },
  ])("are sent after one that could not reach the host: $next, if $description", async ({ last, next }) => {
    const gate = await gateAfter("read");
    if (last < 0) void begin(gate, ENDS.slow);
    await elapse(1);
    void begin(gate, ENDS.unreached);
    await elapse(1);
    if (last > 0) void begin(gate, ENDS.slow);
    await elapse(10);
    expect(await nextAt(gate)).toBe(next);
  });

  it("are sent again once one that was under way shows that the key is right", async () => {
    const gate = await gateAfter("read");
    void begin(gate, ENDS.slow);
    for (const _ of times(3, "wrong key")) void begin(gate, ENDS["wrong key"]);
    await elapse(1);
    expect(await nextAt(gate)).toBe("ERR_WRONG_KEY");
    expect(await nextAt(gate)).toBe(SENT);
  });

  it("that were sent have their retries, whatever stops the others", async () => {
    const gate = await gateAfter("unreached");
    const turn = { subject: "", signal: undefined };
    expect(await begin(gate)).toMatchObject({ code: "ERR_CONNECTION" });
    expect(() => gate.throwIfRefused(turn)).not.toThrow();
    await elapse(60);
    for (const _ of times(3, "wrong key")) void begin(gate, ENDS["wrong key"]);
    await elapse(1);
    expect(() => gate.throwIfRefused(turn)).toThrow("No more reads are sent, because the service has refused some.");
  });

  it("all go on where an outage is tried again by one of a project that is limited", async () => {
    const gate = await gateAfter(...times(32, "down"), 60);
    void begin(gate, { ...ENDS.limited, afterSeconds: 3 });
    const others = beginMany(gate, 16, { afterSeconds: 1 });
    await elapse(4);
    expect(others).toEqual(times(16, "sent after 3 s"));
  });

  it("that are given up while they wait are not sent", async () => {
    const gate = new ReadGate(host);
    void begin(gate, { afterSeconds: 9 });
    const reason = new Error("enough");
    const controller = new AbortController();
    const send = vi.fn();
    const read = gate.pass({ subject: "", signal: controller.signal }, send);
    controller.abort(reason);
    await expect(read).rejects.toBe(reason);
    // Those of the read under way and of the trial.
    expect(vi.getTimerCount()).toBe(2);
    await expect(gate.pass({ subject: "", signal: controller.signal }, send)).rejects.toBe(reason);
    await elapse(100);
    expect(send).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
