import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { errorFinding, parseFindings } from "../../sdk/findings/finding.ts";
import { describeFinding, describeNext, FindingReport, failureText } from "../../sdk/findings/finding-report.ts";

const gone = (resource: string) => ({ message: `${resource} is gone.`, causeKey: "gone" });
const DOWN = { message: "The service is down.", causeKey: "down" };

it("tells each cause once, beside the first resource and with the names of all", () => {
  const report = new FindingReport((urn) => urn.slice("urn:".length));
  for (const name of ["a", "b", "c"]) report.note(`urn:${name}`, gone(name));
  report.note("urn:b", DOWN);
  expect(report.entries()).toMatchObject([
    { resource: "urn:a", message: "a is gone. This applies to the resources a, b, c." },
    { resource: "urn:b", message: "The service is down. This applies to the resource b." },
  ]);
});

it("tells a cause beside the resource that is asked for, in its words", () => {
  const report = new FindingReport(String);
  for (const name of ["a", "b"]) report.note(name, gone(name));
  expect(report.entries("b")).toMatchObject([
    { resource: "b", message: "b is gone. This applies to the resources a, b." },
  ]);
});

it("tells of the records that are used", () => {
  const report = new FindingReport(String);
  for (const name of ["a", "b"]) report.note(name, { ...DOWN, record: "used" });
  const message = "The service is down. AgentLogConfig a, b use the recorded settings.";
  expect(report.entries()).toEqual([{ resource: "a", message }]);
});

it("tells nothing of a resource that is forgotten, and of a cause that has no other", () => {
  const report = new FindingReport(String);
  for (const name of ["a", "b"]) report.note(name, gone(name));
  report.note("a", DOWN);
  report.forget("a");
  expect(report.entries()).toMatchObject([{ resource: "b", message: "b is gone. This applies to the resource b." }]);
});

it("tells of projects that are gone once", () => {
  const report = new FindingReport(String);
  for (const name of ["a", "b"]) report.note(name, { ...gone("It"), record: "gone" });
  expect(report.entries()).toMatchObject([{ resource: "a", message: "It is gone. AgentLogConfig a, b are gone." }]);
});

it.each([
  [51, /^It is gone\. This applies to the resources p0, p1, .*, p49, p50\.$/, gone("It")],
  [52, /^It is gone\. This applies to the resources p0, p1, .*, p49 and 2 others\.$/, gone("It")],
  [10_000, /^It is gone\. This applies to the resources p0, p1, .*, p49 and 9950 others\.$/, gone("It")],
  [11, /^The service is down\. This applies to the resources p0, p1, .*, p9, p10\.$/, { ...DOWN, temporary: true }],
  [
    80,
    /^The service is down\. This applies to the resources p0, p1, .*, p9 and 70 others\.$/,
    { ...DOWN, temporary: true },
  ],
])("names 50 resources, in an outage 10, or all if there is only one more: of %i", (resources, says, finding) => {
  const report = new FindingReport(String);
  for (let index = 0; index < resources; index += 1) report.note(`p${index}`, finding);
  expect(report.entries()).toMatchObject([{ message: expect.stringMatching(says) }]);
});

it.each([
  { description: "ASCII", letter: "x", count: 25 },
  // Each is nine characters in percent-encoding.
  { description: "Chinese", letter: "志", count: 2 },
])("names as many resources as fit into a message of gRPC, in $description", ({ letter, count }) => {
  const nameOf = (index: number) => String(index).padEnd(120, letter);
  const report = new FindingReport(nameOf);
  for (let index = 0; index < 40; index += 1) report.note(index, DOWN);
  const names = Array.from({ length: count }, (_, index) => nameOf(index)).join(", ");
  expect(report.entries()).toMatchObject([
    { message: `The service is down. This applies to the resources ${names} and ${40 - count} others.` },
  ]);
});

it("joins members of fleets with resources of their own, and names them by their fleets, sorted by numbers", () => {
  const report = new FindingReport(String);
  report.note("west", { ...gone("It"), members: ["p10/backup", "p2/backup"] });
  report.note("single", gone("It"));
  report.note("east", { ...gone("It"), members: ["p/backup"] });
  const names = "east p/backup, single, west p2/backup, west p10/backup";
  expect(report.entries()).toEqual([
    { resource: "west", message: `It is gone. This applies to the resources ${names}.` },
  ]);
  expect(describeNext("west", { ...gone("It"), record: "gone", members: ["a/backup"] }, 99)).toBe(
    "It is gone. AgentLogConfig west a/backup is gone.",
  );
});

it("says what a resource fails for, a member by its name, and how many more failures there are than fit", () => {
  const members = ["a/backup", "b/backup"];
  expect(failureText([gone("It"), { ...DOWN, members }])).toBe(
    "It is gone.\nThe service is down. This applies to the resources a/backup, b/backup.",
  );
  const long = { message: "x".repeat(1000), causeKey: "x" };
  expect(failureText([long, long, long])).not.toContain("And");
  expect(failureText([long, long, long, DOWN, DOWN])).toBe(
    [long, long, long]
      .map(({ message }) => message)
      .join("\n")
      .concat("\nAnd 2 other failures, which a preview shows."),
  );
});

it.each(["", "5", "{}", "[5, null]", '[{"message":1,"causeKey":"c"}]', undefined])(
  "takes no finding from what is none: %s",
  (text) => {
    expect(parseFindings(text)).toEqual([]);
  },
);

it("names a resource by 120 characters at most", () => {
  const [just, over] = ["x".repeat(120), "y".repeat(121)];
  expect(describeFinding([just, over], { ...gone("It"), record: "gone" })).toBe(
    `It is gone. AgentLogConfig ${just}, ${"y".repeat(120)}… are gone.`,
  );
});

it("warns of the eleventh and all other records in an outage in one line, where nobody knows the last one", () => {
  const finding = { ...DOWN, temporary: true, evidence: "status 503", record: "used" } as const;
  const lines = Array.from({ length: 80 }, (_, index) => describeNext(`p${index}`, finding, index + 1));
  expect(lines.filter((line) => line !== undefined)).toEqual([
    "The service is down. AgentLogConfig p0 uses the recorded settings.",
    ...Array.from({ length: 9 }, (_, index) => `p${index + 1} uses its record, too (status 503).`),
    "Other resources use their records, too (status 503).",
  ]);
});

it("warns of unexpected settings and of projects that are gone alike", () => {
  const lines = Array.from({ length: 60 }, (_, index) =>
    describeNext(`p${index}`, { message: "x", causeKey: "It is 5." }, index + 1),
  );
  expect(lines.filter((line) => line !== undefined)).toEqual([
    ...Array.from({ length: 50 }, (_, index) => `AgentLogConfig p${index}: It is 5.`),
    "Other resources: It is 5.",
  ]);
  const finding = { ...gone("It"), evidence: "status 404", record: "gone" } as const;
  expect([2, 51].map((count) => describeNext("p", finding, count))).toEqual([
    "p is gone, too (status 404).",
    "Other resources are gone, too (status 404).",
  ]);
});

it("shows nothing of an id that a terminal would obey", () => {
  const finding = { ...DOWN, record: "used" } as const;
  expect(describeFinding(["p\u001b[2J"], finding)).toContain("AgentLogConfig p\uFFFD[2J uses");
  expect(describeNext("p\u001b[2J", finding, 2)).toBe("p\uFFFD[2J uses its record, too.");
});

it.each([
  ["another error", new Error("no route")],
  ["a value that is not an error", "no route"],
])("a problem may be %s", (_, thrown) => {
  expect(errorFinding(thrown)).toEqual({ message: "no route", causeKey: "ERR_UNKNOWN: no route" });
});

it.each([
  [busy(3), "status 503"],
  [new AgentLogConfigError("ERR_CONNECTION", "cut", { evidence: ["ECONNRESET", "127.0.0.1:1"] }), "ECONNRESET"],
  [new AgentLogConfigError("ERR_TIMEOUT", "silent", { evidence: ["through the proxy p:3128"] }), "ERR_TIMEOUT"],
])("the evidence of %o is %s", (error, evidence) => {
  expect(errorFinding(error)).toMatchObject({ evidence });
});

const missing = (id: string) =>
  serviceError(404, { errorCode: "GROUP_NOT_FOUND", detail: `No group with ID ${id} exists.` }, `Can't read ${id}`, {});
const invalid = (why: string) => new AgentLogConfigError("ERR_INVALID_RESPONSE", why, { subject: "Can't read it" });
it.each([
  ["two projects that are gone", missing("0123456789abcdef01234567"), missing("89abcdef0123456789abcdef"), true],
  ["two outages that end at different times", busy(3), busy(70), true],
  ["two codes", missing("0123456789abcdef01234567"), invalid("there is no such project; check projectId"), false],
  ["two settings", invalid("logPath must be a string"), invalid("username must be a string"), false],
  ["two values with other ids", invalid(`it is ${"0".repeat(24)}`), invalid(`it is ${"1".repeat(24)}`), false],
  ["paths that name an agent", invalid("it is /var/log/monitoring"), invalid("it is /var/log/backup"), false],
  ["errors that are not known", new Error("One."), new Error("Two."), false],
])("the problems of one and of the other of %s have one causeKey: %4$s", (_, one, other, isAlike) => {
  expect(errorFinding(one).causeKey === errorFinding(other).causeKey).toBe(isAlike);
});
function busy(retryAfterSeconds: number): AgentLogConfigError {
  return serviceError(503, { detail: `Come back in ${retryAfterSeconds} s.` }, "Can't read it", { retryAfterSeconds });
}
