import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/errors.ts";
import { KeyGate } from "../../sdk/client/key-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A read that ends when the test says so. */
function makeRead() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = vi.fn(() => promise);
  return { read, resolve, reject };
}

const turn = () => vi.advanceTimersByTimeAsync(0);
const refusal = (code: "ERR_WRONG_KEY" | "ERR_ACCESS_LIST" | "ERR_PROJECT_NOT_FOUND") =>
  new AgentLogConfigError(code, "it is refused", { subject: "Can't read a", status: 401 });

it("lets one read go first, and the others once it has succeeded", async () => {
  const gate = new KeyGate();
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
    const gate = new KeyGate();
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
  const gate = new KeyGate();
  await gate.pass("a", async () => "one");
  await expect(gate.pass("b", () => Promise.reject(refusal("ERR_WRONG_KEY")))).rejects.toThrow("it is refused");
  const later = makeRead();
  await expect(gate.pass("c", later.read)).rejects.toThrow("c: it is refused");
  expect(later.read).not.toHaveBeenCalled();
});

it("lets the others go where the first read fails for a reason of its own", async () => {
  const gate = new KeyGate();
  await expect(gate.pass("a", () => Promise.reject(refusal("ERR_PROJECT_NOT_FOUND")))).rejects.toThrow("refused");
  expect(await gate.pass("b", async () => "two")).toBe("two");
});

it("does not hold the others back for longer than a second", async () => {
  const gate = new KeyGate();
  const [first, second] = [makeRead(), makeRead()];
  void gate.pass("a", first.read);
  const outcome = gate.pass("b", second.read);
  await vi.advanceTimersByTimeAsync(999);
  expect(second.read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  second.resolve("two");
  expect(await outcome).toBe("two");
});
