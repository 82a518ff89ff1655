import { expect, it } from "vitest";
import { PROJECT_ID } from "../engine/program.ts";
import { openExample } from "./open-example.ts";

// Its own unit tests run here too.
import "../../examples/testing/disk-alarm.test.ts";

it("is a whole program", async (context) => {
  const { deployment } = await openExample(context, "testing", { projectId: PROJECT_ID });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({ limitMB: 1500 });
});
