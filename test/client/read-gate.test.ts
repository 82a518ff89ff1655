import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AgentLogConfigError, type AgentLogConfigErrorCode } from "../../sdk/client/errors.ts";
import { ReadGate } from "../../sdk/client/read-gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A read that ends when the test says so. */
function makeRead() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { read: vi.fn(() => promise), resolve };
}

it("holds the others back until the first read ends, for five seconds at most", async () => {
  const gate = new ReadGate();
  const [first, second] = [makeRead(), makeRead()];
  void gate.pass("a", first.read);
  const outcome = gate.pass("b", second.read);
  await vi.advanceTimersByTimeAsync(4999);
  expect(second.read).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  second.resolve("two");
  expect(await outcome).toBe("two");
  first.resolve("one");
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

const failing =
  (code: AgentLogConfigErrorCode, details: { readonly status?: number; readonly errorCode?: string } = {}) =>
  () =>
    Promise.reject(
      new AgentLogConfigError(code, "it is refused", { subject: "Can't read a", status: 401, ...details }),
    );
const succeeding = async () => "one";
const outage = failing("ERR_UNAVAILABLE", { status: 503 });

/** A gate after reads of different projects that end like this, one after the other. */
async function gateAfter(...reads: readonly (() => Promise<unknown>)[]): Promise<ReadGate> {
  const gate = new ReadGate();
  for (const [index, read] of reads.entries()) await gate.pass(`p${index}`, read).catch(() => {});
  return gate;
}

describe("a refused key", () => {
  it.each(["ERR_WRONG_KEY", "ERR_ACCESS_LIST"] as const)("fails all other reads with %s", async (code) => {
    const gate = await gateAfter(failing(code));
    expect(gate.refusalOf("Can't read b")).toMatchObject({
      code,
      status: 401,
      message: expect.stringMatching(/^Can't read b: it is refused\. See/),
    });
  });

  it.each([
    { description: "a read before it has succeeded", reads: [succeeding, failing("ERR_WRONG_KEY")] },
    { description: "a read after it has succeeded", reads: [failing("ERR_WRONG_KEY"), succeeding] },
    {
      description: "the service has told something of a project before",
      reads: [
        failing("ERR_PROJECT_NOT_FOUND", { status: 404, errorCode: "GROUP_NOT_FOUND" }),
        failing("ERR_ACCESS_LIST", { status: 403, errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }),
      ],
    },
  ])("concerns one project where $description", async ({ reads }) => {
    expect((await gateAfter(...reads)).refusalOf("Can't read c")).toBeUndefined();
  });

  const refused = failing("ERR_WRONG_KEY");
  const refusedByName = failing("ERR_ACCESS_LIST", { status: 403, errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" });
  const told = failing("ERR_PROJECT_NOT_FOUND", { status: 404, errorCode: "GROUP_NOT_FOUND" });

  it.each([
    { description: "two refusals", reads: [refused, refused], is: false },
    { description: "three refusals", reads: [refused, refused, refused], is: true },
    { description: "an outage among three refusals", reads: [refused, outage, refused, refused], is: true },
    {
      description: "a success among four refusals",
      reads: [refused, refused, succeeding, refused, refused],
      is: false,
    },
    { description: "a word on a project among four", reads: [refused, refused, told, refused, refused], is: false },
    { description: "three refusals with a code", reads: [refusedByName, refusedByName, refusedByName], is: false },
    { description: "a refusal with a code among three", reads: [refused, refused, refusedByName], is: false },
  ])("that was accepted before fails all other reads after $description: $is", async ({ reads, is }) => {
    const refusal = (await gateAfter(succeeding, ...reads)).refusalOf("Can't read c");
    expect(refusal?.code).toBe(is ? "ERR_WRONG_KEY" : undefined);
  });

  it("that is accepted once more lets all other reads pass", async () => {
    const gate = await gateAfter(succeeding, refused, refused, refused, succeeding);
    expect(gate.refusalOf("Can't read c")).toBeUndefined();
  });

  it.each([
    { description: "nothing is at the address", read: failing("ERR_NOT_FOUND", { status: 404 }) },
    { description: "the service is down", read: failing("ERR_UNAVAILABLE", { status: 503, errorCode: "DOWN" }) },
    { description: "the caller gave up", read: () => Promise.reject(new DOMException("aborted", "AbortError")) },
  ])("fails all other reads where $description for the read before", async ({ read }) => {
    const gate = await gateAfter(read, failing("ERR_WRONG_KEY"));
    expect(gate.refusalOf("Can't read c")).toMatchObject({ code: "ERR_WRONG_KEY" });
  });
});

describe("an outage", () => {
  it.each([
    { description: "three projects", reads: [outage, failing("ERR_TIMEOUT"), failing("ERR_CONNECTION")], is: true },
    { description: "two projects", reads: [outage, outage], is: false },
    { description: "three projects with a success among them", reads: [outage, outage, succeeding, outage], is: false },
    {
      description: "three projects with a refusal among them",
      reads: [outage, outage, failing("ERR_NOT_FOUND"), outage],
      is: false,
    },
    { description: "three projects, and then a success", reads: [outage, outage, outage, succeeding], is: false },
    {
      description: "five projects with status 500",
      reads: Array.from({ length: 5 }, () => failing("ERR_UNAVAILABLE", { status: 500 })),
      is: false,
    },
    {
      description: "three projects with a status 500 among them",
      reads: [outage, outage, failing("ERR_UNAVAILABLE", { status: 500 }), outage],
      is: true,
    },
  ])("is seen after failures of $description: $is", async ({ reads, is }) => {
    expect((await gateAfter(...reads)).isOutage).toBe(is);
  });

  it("is not seen after three failures of one project", async () => {
    const gate = new ReadGate();
    for (const _ of [1, 2, 3]) await gate.pass("a", outage).catch(() => {});
    expect(gate.isOutage).toBe(false);
  });
});
