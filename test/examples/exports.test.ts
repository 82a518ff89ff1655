import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PROJECT_ID, SECRETS, skipWithout } from "../deployment/open-program.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { openExample } from "./open-example.ts";

it("publishes a path as it is and overrides as a secret", async (context) => {
  const { deployment } = await openExample(context, "exports/publisher", { projectId: PROJECT_ID });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual({
    logPath: "/var/log/monitoring-agent.log",
    configOverrides: "[secret]",
  });
});

it("lets another stack build on what was published", async (context) => {
  // The stand-in engine knows one stack alone.
  skipWithout(context, "real");
  const backend = temporaryFolder("backend");
  const env = { PULUMI_BACKEND_URL: pathToFileURL(backend).href };
  const publisher = await openExample(context, "exports/publisher", { projectId: PROJECT_ID }, env);
  const consumer = await openExample(context, "exports/consumer", { publisher: "organization/publisher/dev" }, env);
  expect(await publisher.deployment.up()).toMatchObject({ ok: true });
  const { ok, text } = await consumer.deployment.up();
  expect(ok).toBe(true);
  expect(await consumer.deployment.outputs()).toEqual({
    watched: "/var/log/monitoring-agent.log",
    overrides: "[secret]",
  });
  const state = JSON.stringify(await consumer.deployment.exportState());
  for (const secret of SECRETS) expect(text + state).not.toContain(secret);
  expect(consumer.service.requests).toEqual([]);
});
