import { expect, it } from "vitest";
import { AgentLogConfigError } from "../../sdk/client/index.ts";
import { serviceError } from "../../sdk/client/service-error.ts";
import { errorFinding } from "../../sdk/record/finding-report.ts";

it.each([
  ["another error", new Error("no route")],
  ["a value that is not an error", "no route"],
])("a problem may be %s", (_, thrown) => {
  expect(errorFinding(thrown)).toEqual({ message: "no route", causeKey: "ERR_UNKNOWN: no route" });
});

const gone = (id: string) =>
  serviceError(404, { errorCode: "GROUP_NOT_FOUND", detail: `No group with ID ${id} exists.` }, `Can't read ${id}`, {});
const invalid = (why: string) => new AgentLogConfigError("ERR_INVALID_RESPONSE", why, { subject: "Can't read it" });
it.each([
  ["two projects that are gone", gone("0123456789abcdef01234567"), gone("89abcdef0123456789abcdef"), true],
  ["two outages that end at different times", busy(3), busy(70), true],
  ["two codes", gone("0123456789abcdef01234567"), invalid("there is no such project; check projectId"), false],
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
