import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import path from "node:path";
import { expect, inject, it } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { listen } from "../servers/listen.ts";

const FILE = path.join(inject("installedPackage"), "node_modules/pulumi-agent-log-config/examples/service.mjs");

it("is a stand-in in the installed package, and Enter changes a threshold", async (context) => {
  const stand = spawn(process.execPath, [FILE, "0"], { stdio: ["pipe", "pipe", "inherit"] });
  context.onTestFinished(() => void stand.kill());
  const said = async () => String((await once(stand.stdout, "data"))[0]);
  const [baseUrl = ""] = /http:\S+/.exec(await said()) ?? [];
  const key = { publicKey: "publickey", privateKey: "private-key-0001" };
  const client = new AgentLogConfigClient({ baseUrl, ...key, allowHttp: true });
  context.onTestFinished(() => client.close());
  const size = async () =>
    (await client.get({ projectId: PROJECT_ID, agent: "monitoring" })).logRotate?.sizeThresholdMB;
  expect(await size()).toBe(1000);
  stand.stdin.write("\n");
  await said();
  expect(await size()).toBe(500);
});

it("says what to do where the port is in use", async () => {
  const port = await listen(createServer());
  const { stderr, status } = spawnSync(process.execPath, [FILE, String(port)], { encoding: "utf8" });
  expect(stderr).toMatch(
    /^The service did not start: listen EADDRINUSE.*\. Name another port, such as \d+, behind the command\.\n$/,
  );
  expect(status).toBe(1);
});
