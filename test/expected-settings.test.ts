import { expect, it } from "vitest";
import { NO_SETTINGS } from "../sdk/client/recorded-settings.ts";
import { unmetExpectations } from "../sdk/expected-settings.ts";

// What JavaScript callers can pass.
it.each<{ expected: object; says: string }>([
  { expected: { configOverrides: { mmsApiKey: "a" } }, says: "expect has no setting configOverrides." },
  { expected: { sizeThresholdMB: 5 }, says: "expect has no setting sizeThresholdMB." },
  { expected: { logRotate: { sizeThreshold: 5 } }, says: "expect has no setting logRotate.sizeThreshold." },
  { expected: { logRotate: { numTotal: 5 } }, says: "logRotate.numTotal is not set, expected 5." },
])("of $expected says: $says", ({ expected, says }) => {
  const settings = { ...NO_SETTINGS, configOverrides: { mmsApiKey: "body-api-key-0001" } };
  expect(unmetExpectations(expected, settings, false)).toEqual([says]);
});
