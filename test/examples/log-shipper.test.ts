import { expect, it } from "vitest";
import { PROJECT_ID, SETTINGS } from "../deployment/open-program.ts";
import { openExample } from "./open-example.ts";

it("ships and watches what the agents write, shows in the preview what changes, refuses other files, and leaves out an agent that writes none", async (context) => {
  const { deployment, service } = await openExample(context, "log-shipper", {
    projectId: PROJECT_ID,
    windows: "false",
    folder: "/var/log",
  });
  expect(await deployment.up()).toMatchObject({ ok: true });
  const tail = { name: "tail", "storage.type": "filesystem" };
  const http = { name: "http", host: "logs.example.com", tls: "on" };
  expect(JSON.parse(String((await deployment.outputs())["fluentBit"]))).toEqual({
    service: { "storage.path": "/var/lib/fluent-bit" },
    pipeline: {
      inputs: [
        { ...tail, tag: "agent.monitoring", path: "/var/log/monitoring-agent.log", ignore_older: "24h" },
        { ...tail, tag: "agent.backup", path: "/var/log/backup-agent.log" },
      ],
      outputs: [
        { ...http, match: "agent.monitoring", "storage.total_limit_size": "1000M" },
        { ...http, match: "agent.backup" },
      ],
    },
  });
  const rule = {
    alert: "AgentLogIsNotRotated",
    expr: 'file_stat_size_bytes{path="/var/log/monitoring-agent.log"} > 1500000000',
    for: "15m",
    labels: { agent: "monitoring" },
  };
  const groups = [{ name: "agent-logs", rules: [rule] }];
  expect(JSON.parse(String((await deployment.outputs())["alarms"]))).toEqual({ groups });

  service.set(PROJECT_ID, "monitoring", { ...SETTINGS, logRotate: { sizeThresholdMB: 500.5, timeThresholdHrs: 24 } });
  const { text } = await deployment.preview();
  expect(text).toMatch(/~ pulumi:index:Stash: \(update\)/);
  expect(text).toContain("501M");
  expect(text).toContain("750750000");

  for (const logPath of ["/etc/shadow", "/var/log/../shadow", "/var/log/*"]) {
    service.set(PROJECT_ID, "monitoring", { logPath });
    const refused = await deployment.preview();
    expect({ logPath, ok: refused.ok }).toEqual({ logPath, ok: false });
    expect(refused.text).toContain("The monitoring agent's log is not a file in /var/log");
  }

  service.set(PROJECT_ID, "monitoring", {});
  const silent = await deployment.up();
  expect(silent.ok).toBe(true);
  expect(silent.text).toContain("The monitoring agent writes to standard error");
  const { pipeline } = JSON.parse(String((await deployment.outputs())["fluentBit"]));
  expect(pipeline).toMatchObject({ inputs: [{ tag: "agent.backup" }], outputs: [{ match: "agent.backup" }] });
});

it("writes Windows paths as Fluent Bit and Prometheus do", async (context) => {
  const { deployment, service } = await openExample(context, "log-shipper", {
    projectId: PROJECT_ID,
    windows: "true",
    folder: "%SystemDrive%\\log",
  });
  service.set(PROJECT_ID, "backup", { logPathWindows: "%SystemDrive%\\log\\backup-agent.log" });
  expect(await deployment.up()).toMatchObject({ ok: true });
  const { pipeline } = JSON.parse(String((await deployment.outputs())["fluentBit"]));
  expect(pipeline.inputs).toMatchObject([
    { path: "$" + "{SystemDrive}\\log\\monitoring-agent.log" },
    { path: "$" + "{SystemDrive}\\log\\backup-agent.log" },
  ]);
  expect(JSON.parse(String((await deployment.outputs())["alarms"]))).toMatchObject({
    groups: [{ rules: [{ expr: expect.stringContaining('path="C:\\\\log\\\\monitoring-agent.log"') }] }],
  });
});
