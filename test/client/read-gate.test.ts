import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A read that ends when the test says so. */
function makeRead() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = vi.fn(() => promise);
  return { read, resolve, reject };
}

const turn = () => vi.advanceTimersByTimeAsync(0);
const refusal = (code: AgentLogConfigErrorCode) =>
  new AgentLogConfigError(code, "it is refused", { subject: "Can't read a", status: 401 });

it("lets one read go first, and the others once it has succeeded", async () => {
  const gate = new ReadGate();
  const [first, second] = [makeRead(), makeRead()];
  const outcomes = [gate.pass("a", first.read), gate.pass("b", second.read)];
  await turn();
  expect(second.read).not.toHaveBeenCalled();
  first.resolve("one");
  second.resolve("two");
  expect(await Promise.all(outcomes)).toEqual(["one", "two"]);
});

it.each(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"] as const)(
  "fails all later reads with %s, which are not sent",
  async (code) => {
    const gate = new ReadGate();
    const [first, second] = [makeRead(), makeRead()];
    const outcomes = Promise.allSettled([
      gate.pass("Can't read a", first.read),
      gate.pass("Can't read b", second.read),
    ]);
    first.reject(refusal(code));
    const [one, two] = await outcomes;
    expect(one).toMatchObject({
      reason: { code, message: expect.stringMatching(/^Can't read a: it is refused\. See/) },
    });
    expect(two).toMatchObject({
      reason: { code, status: 401, message: expect.stringMatching(/^Can't read b: it is refused\. See/) },
    });
    expect(second.read).not.toHaveBeenCalled();
  },
);

it("fails later reads although earlier ones have succeeded, where the key is revoked meanwhile", async () => {
  const gate = new ReadGate();
  await gate.pass("a", async () => "one");
  await expect(gate.pass("b", () => Promise.reject(refusal("ERR_WRONG_KEY")))).rejects.toThrow("it is refused");
  const later = makeRead();
  await expect(gate.pass("c", later.read)).rejects.toThrow("c: it is refused");
  expect(later.read).not.toHaveBeenCalled();
});

it("lets the others go where the first read fails for a reason of its own", async () => {
  const gate = new ReadGate();
  await expect(gate.pass("a", () => Promise.reject(refusal("ERR_PROJECT_NOT_FOUND")))).rejects.toThrow("refused");
  expect(await gate.pass("b", async () => "two")).toBe("two");
});

it("does not hold the others back for longer than a second", async () => {
  const gate = new ReadGate();
  const [first, second] = [makeRead(), makeRead()];
  void gate.pass("a", first.read);
  const outcome = gate.pass("b", second.read);
  await vi.advanceTimersByTimeAsync(999);
  expect(second.read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  second.resolve("two");
  expect(await outcome).toBe("two");
});

const failing = (code: AgentLogConfigErrorCode) => () => Promise.reject(refusal(code));

/** A gate after reads that end like this, one after the other. */
async function gateAfter(...reads: readonly (() => Promise<unknown>)[]): Promise<ReadGate> {
  const gate = new ReadGate();
  for (const read of reads) await gate.pass("before", read).catch(() => {});
  return gate;
}

const outage = failing("ERR_UNAVAILABLE");

it("fails later reads at once after three in a row that failed for temporary reasons", async () => {
  const gate = await gateAfter(outage, failing("ERR_TIMEOUT"), outage);
  const later = makeRead();
  await expect(gate.pass("Can't read d", later.read)).rejects.toMatchObject({
    code: "ERR_UNAVAILABLE",
    temporary: true,
    status: 401,
    message: expect.stringMatching(/^Can't read d: it is refused\. See/),
  });
  expect(later.read).not.toHaveBeenCalled();
});

it.each([
  { description: "two", reads: [outage, outage] },
  { description: "three with a success among them", reads: [outage, outage, async () => "one", outage] },
  { description: "three with an answer among them", reads: [outage, outage, failing("ERR_PROJECT_NOT_FOUND"), outage] },
  {
    description: "three defects of single projects",
    reads: Array.from({ length: 3 }, () => failing("ERR_ROLE_MISSING")),
  },
])("sends the next read after $description", async ({ reads }) => {
  const gate = await gateAfter(...reads);
  expect(await gate.pass("next", async () => "two")).toBe("two");
});

it("tries again a minute after an outage, and then one failure is enough", async () => {
  const gate = await gateAfter(outage, outage, outage);
  const read = vi.fn(outage);
  await vi.advanceTimersByTimeAsync(59_999);
  await expect(gate.pass("d", read)).rejects.toThrow();
  expect(read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(gate.pass("e", read)).rejects.toThrow();
  await expect(gate.pass("f", read)).rejects.toThrow();
  expect(read).toHaveBeenCalledOnce();
});

it("ignores that a caller has given a read up", async () => {
  const aborted = () => Promise.reject(new DOMException("aborted", "AbortError"));
  const gate = await gateAfter(aborted, aborted, aborted);
  expect(await gate.pass("d", async () => "one")).toBe("one");
});
