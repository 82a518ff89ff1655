import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PRIVATE_KEY } from "../deployment/open-program.ts";
import { openExample } from "./open-example.ts";

it("shows on its page what the stand-in makes of it", async (context) => {
  const page = await readFile(path.join(import.meta.dirname, "../../examples/several-projects/README.md"), "utf8");
  const { deployment, service } = await openExample(context, "several-projects");
  const ids = new Set(page.match(/\b[0-9a-f]{24}\b/g));
  for (const projectId of ids) {
    for (const agent of ["monitoring", "backup"] as const) {
      const logPath = `/var/log/agents/${agent}-agent.log`;
      service.set(projectId, agent, { logPath, logRotate: { sizeThresholdMB: 1000, timeThresholdHrs: 24 } });
    }
  }
  const [, configuration = ""] = /^ {2}several-projects:services:\n((?: {4}.*\n)+)/m.exec(page) ?? [];
  const services = configuration.replaceAll(/https:.*/g, service.baseUrl);
  await deployment.setConfig("several-projects:services", JSON.stringify(parse(services)));
  for (const name of ["east", "west"]) {
    await deployment.setConfig(`several-projects:${name}PrivateKey`, PRIVATE_KEY, { secret: true });
  }
  const { text } = await deployment.up();
  expect(text).toContain(/(?<=warning: ).*expected at most 500.*/.exec(page)?.[0]);
  const shown = page.match(/(?<=^ {4})(?:east|west) .*/gm);
  expect(shown).toHaveLength(6);
  expect((await deployment.outputs())["table"]).toBe(shown?.join("\n"));
});
