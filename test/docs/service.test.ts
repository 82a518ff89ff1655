import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { serviceError } from "../../sdk/client/service-error.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../docs/service.md"), "utf8");
const ofCodes = Array.from(
  page.matchAll(/^\| (\d{3}) \| (\**`(?!ERR_).*`\**) \| `(ERR_\w+)` \|$/gm),
  ([, status, codes, becomes]) => namesIn(codes).map((errorCode) => ({ status: Number(status), errorCode, becomes })),
).flat();
const ofStatuses = Array.from(
  page.matchAll(/^\| (.*) \| `(ERR_\w+)` \| `(ERR_\w+)` \|$/gm),
  ([, statuses = "", without, other]) =>
    (statuses.match(/\d{3}/g) ?? []).flatMap((status) => [
      { status: Number(status), errorCode: undefined, becomes: without },
      { status: Number(status), errorCode: "ANOTHER_CODE", becomes: other },
    ]),
).flat();

it("says of the codes and statuses of the service what they become", () => {
  expect([ofCodes.length, ofStatuses.length]).toEqual([30, 24]);
});

it.each([...ofCodes, ...ofStatuses])("makes of status $status with the code $errorCode what the page says", (row) => {
  const { status, errorCode, becomes } = row;
  const refused = status === 401 ? "key" : undefined;
  expect(serviceError(status, { error: status, errorCode }, "It failed", { refusal: refused }).code).toBe(becomes);
});

function namesIn(cell = ""): string[] {
  return Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
}
