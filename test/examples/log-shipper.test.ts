import { expect, it } from "vitest";
import { PROJECT_ID, SETTINGS } from "../engine/program.ts";
import { openExample } from "./open-example.ts";

it("ships what the agents write, and shows in the preview what changes", async (context) => {
  const { deployment, service } = await openExample(context, "log-shipper", {
    projectId: PROJECT_ID,
    windows: "false",
  });
  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(JSON.parse(String((await deployment.outputs())["fluentBit"]))).toEqual({
    service: { "storage.path": "/var/lib/fluent-bit" },
    pipeline: {
      inputs: [
        {
          name: "tail",
          tag: "agent.monitoring",
          path: "/var/log/monitoring-agent.log",
          "storage.type": "filesystem",
          ignore_older: "24h",
        },
        { name: "tail", tag: "agent.backup", path: "/var/log/backup-agent.log", "storage.type": "filesystem" },
      ],
      outputs: [
        {
          name: "http",
          match: "agent.monitoring",
          host: "logs.example.com",
          tls: "on",
          "storage.total_limit_size": "1000M",
        },
        { name: "http", match: "agent.backup", host: "logs.example.com", tls: "on" },
      ],
    },
  });

  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5, timeThresholdHrs: 24 } });
  const { text } = await deployment.preview();
  expect(text).toMatch(/~ pulumi:index:Stash: \(update\)/);
  expect(text).toContain("501M");
});

it("leaves out an agent that writes no file, with a warning", async (context) => {
  const { deployment, service } = await openExample(context, "log-shipper", {
    projectId: PROJECT_ID,
    windows: "false",
  });
  service.set(PROJECT_ID, "monitoring", {});
  const { ok, text } = await deployment.up();
  expect(ok).toBe(true);
  expect(text).toContain("The monitoring agent writes to standard error");
  const { pipeline } = JSON.parse(String((await deployment.outputs())["fluentBit"]));
  expect(pipeline).toMatchObject({ inputs: [{ tag: "agent.backup" }], outputs: [{ match: "agent.backup" }] });
});

it("writes Windows paths as Fluent Bit does", async (context) => {
  const { deployment, service } = await openExample(context, "log-shipper", { projectId: PROJECT_ID, windows: "true" });
  service.set(PROJECT_ID, "backup", { logPathWindows: "D:\\log\\backup-agent.log" });
  expect(await deployment.up()).toMatchObject({ ok: true });
  const { pipeline } = JSON.parse(String((await deployment.outputs())["fluentBit"]));
  expect(pipeline.inputs).toMatchObject([
    { path: "$" + "{SystemDrive}\\log\\monitoring-agent.log" },
    { path: "D:\\log\\backup-agent.log" },
  ]);
});
