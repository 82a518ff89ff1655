import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { openService } from "../client/open-client.ts";
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

const PROJECTS = Array.from({ length: 40 }, (_, index) => String(index).padStart(24, "0"));

it("reads 40 projects of two services and warns beside each of unexpected thresholds", async (context) => {
  const { deployment, service: east } = await openExample(context, "several-projects");
  const west = await openService({ privateKey: "private-key-0002" });
  const describe = (service: typeof east, projectIds: readonly string[]) => {
    for (const projectId of projectIds) {
      service.set(projectId, "monitoring", { logPath: `/log/${projectId}`, logRotate: { sizeThresholdMB: 0.5 } });
    }
    return { baseUrl: service.baseUrl, publicKey: "publickey", projectIds };
  };
  const services = { east: describe(east, PROJECTS.slice(0, 20)), west: describe(west, PROJECTS.slice(20)) };
  await deployment.setConfig("several-projects:services", JSON.stringify(services));
  await deployment.setConfig("several-projects:eastPrivateKey", PRIVATE_KEY, { secret: true });
  await deployment.setConfig("several-projects:westPrivateKey", "private-key-0002", { secret: true });

  const { ok, text } = await deployment.up();
  expect(ok).toBe(true);
  for (const projectId of PROJECTS.slice(0, 20)) {
    expect(text).toContain(
      `AgentLogConfig ${projectId}/monitoring: logRotate.timeThresholdHrs is not set, expected between 1 and 24;`,
    );
  }
  const rows = String((await deployment.outputs())["table"]).split("\n");
  expect(rows).toHaveLength(80);
  expect(rows[0]).toBe("east  000000000000000000000000  monitoring    0.5 MB  /log/000000000000000000000000");
  expect(rows[79]).toBe("west  000000000000000000000039  backup             -  standard error");
});
