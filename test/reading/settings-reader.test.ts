import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ServiceClient } from "../../sdk/client/service-client.ts";
import { AgentLogConfigError } from "../../sdk/model/errors.ts";
import { AGENTS, type ReadArguments } from "../../sdk/model/read-arguments.ts";
import { lookUpConnection, providerArguments, stackConfiguration } from "../../sdk/reading/connection-settings.ts";
import { SettingsReader } from "../../sdk/reading/settings-reader.ts";
import { openService } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { queueFaults } from "../testing/queue-faults.ts";

const BACKUP: ReadArguments = { projectId: "0123456789abcdef01234567", agent: "backup" };

async function open(settings: Readonly<Record<string, string>> = {}) {
  const service = await openService();
  service.set(BACKUP.projectId, "backup", { logPath: "/l" });
  const known = { baseUrl: service.baseUrl, publicKey: "publickey", privateKey: "private-key-0001", allowHttp: "true" };
  const configuration = new Map(
    Object.entries({ ...known, ...settings }).map(([name, text]) => [`agent-log-config:${name}`, text]),
  );
  return { service, connection: lookUpConnection(stackConfiguration((key) => configuration.get(key))) };
}

it("shares a client between reads with the same connection", async () => {
  const { service, connection } = await open();
  const reader = new SettingsReader(() => {});
  await reader.read(connection, BACKUP);
  await reader.read({ ...connection }, BACKUP);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 200]);
});

it("shares a client between equal settings, wherever they are written", async () => {
  const { service, connection } = await open();
  const args = Object.fromEntries(Object.entries(connection).map(([name, found]) => [name, found?.text]));
  const reader = new SettingsReader(() => {});
  for (const provider of ["west", "east"])
    await reader.read(lookUpConnection(providerArguments(provider, args)), BACKUP);
  await reader.read(connection, BACKUP);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 200, 200]);
});

it("names the place of an invalid setting for each of two connections that are opened at once", async () => {
  const args = { baseUrl: "here", publicKey: "publickey", privateKey: "private-key-0001" };
  const reader = new SettingsReader(() => {});
  const reads = ["west", "east"].map((name) => reader.read(lookUpConnection(providerArguments(name, args)), BACKUP));
  const [west, east] = await Promise.allSettled(reads);
  expect(west).toMatchObject({ reason: { message: expect.stringContaining("of the Provider 'west'") } });
  expect(east).toMatchObject({ reason: { message: expect.stringContaining("of the Provider 'east'") } });
});

it("says of a wrong key where its halves come from, if they come from two places", async () => {
  const { service, connection } = await open();
  service.rotateKey("another");
  const ofProvider = providerArguments("west", { privateKey: "private-key-0001" });
  const mixed = lookUpConnection(ofProvider, (setting) => connection[setting]);
  const reader = new SettingsReader(() => {});
  const message = (read: Promise<unknown>) => read.then(() => "", String);
  const messages = await Promise.all(AGENTS.map((agent) => message(reader.read(mixed, { ...BACKUP, agent }))));
  const says =
    / publicKey comes from the configuration key agent-log-config:publicKey, and privateKey from the argument privateKey of the Provider 'west'\.$/;
  expect(messages).toEqual([expect.stringMatching(says), expect.stringMatching(says)]);
  expect(await message(new SettingsReader(() => {}).read(connection, BACKUP))).toMatch(
    /check publicKey and privateKey.*err_wrong_key\.$/,
  );
});

it.each([
  { settings: { timeoutSeconds: "3600" }, end: "" },
  { settings: {}, end: " To wait longer, run `pulumi config set agent-log-config:timeoutSeconds 60`." },
])("says of a time-out how to raise a limit that is not the highest: $settings", async ({ settings, end }) => {
  const { connection } = await open(settings);
  const timeout = new AgentLogConfigError("ERR_TIMEOUT", "no response", { subject: "Can't read" });
  vi.spyOn(ServiceClient.prototype, "read").mockRejectedValue(timeout);
  onTestFinished(() => void vi.restoreAllMocks());
  const link = "See https://www.npmjs.com/package/pulumi-agent-log-config#err_timeout.";
  await expect(new SettingsReader(() => {}).read(connection, BACKUP)).rejects.toMatchObject({
    message: `Can't read: no response. ${link}${end}`,
  });
});

it("says nothing of raising a limit in a refresh, where the settings of the stack are arguments", async () => {
  const { service, connection } = await open({ timeoutSeconds: "0.2" });
  const args = Object.fromEntries(Object.entries(connection).map(([name, found]) => [name, found?.text]));
  queueFaults(service, { delaySeconds: 60 });
  await expect(
    new SettingsReader(() => {}).read(lookUpConnection(providerArguments("", args)), BACKUP),
  ).rejects.toThrow(/or raise timeoutSeconds\. See \S+#err_timeout\.$/);
});

it.each([
  [{ timeoutSeconds: "0.2" }, " To wait longer, run `pulumi config set agent-log-config:timeoutSeconds 0.4`\\."],
  [{ timeoutSeconds: "" }, " To wait longer, set AGENT_LOG_CONFIG_TIMEOUT_SECONDS=0.4\\."],
])("says of a time-out how to raise its limit where it comes from: %o", async (settings, how) => {
  vi.stubEnv("AGENT_LOG_CONFIG_TIMEOUT_SECONDS", "0.2");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { service, connection } = await open(settings);
  queueFaults(service, { delaySeconds: 60 });
  await expect(new SettingsReader(() => {}).read(connection, BACKUP)).rejects.toThrow(
    new RegExp(`or raise timeoutSeconds\\. See \\S+#err_timeout\\.${how}$`),
  );
});

it("remembers a refused key for its run alone", async () => {
  const { service, connection } = await open({ privateKey: "private-key-0002" });
  const reader = new SettingsReader(() => {});
  const failed = { status: "rejected", reason: expect.objectContaining({ code: "ERR_WRONG_KEY" }) };
  const twice = [BACKUP, BACKUP].map((args) => reader.read(connection, args));
  expect(await Promise.allSettled(twice)).toEqual([failed, failed]);
  expect(service.requests).toHaveLength(2);
  service.rotateKey("private-key-0002");
  await expect(reader.read(connection, BACKUP)).rejects.toMatchObject({ code: "ERR_WRONG_KEY" });
  expect(await new SettingsReader(() => {}).read(connection, BACKUP)).toMatchObject({ logPath: "/l" });
});

it("opens a connection anew that could not be opened", async () => {
  const folder = temporaryFolder("ca");
  const caCertificate = path.join(folder, "ca.pem");
  const { connection } = await open({ caCertificate });
  const reader = new SettingsReader(() => {});
  await expect(reader.read(connection, BACKUP)).rejects.toMatchObject({ code: "ERR_INVALID_SETTINGS" });
  await copyFile(CA_FILE, caCertificate);
  expect(await reader.read(connection, BACKUP)).toMatchObject({ logPath: "/l" });
});

it("says of the members of a fleet how many there are, beside the reads of resources, of which nobody knows", async () => {
  const { service, connection } = await open();
  service.set("f".repeat(24), "backup", { logPath: "/f" });
  const shown: string[] = [];
  const reader = new SettingsReader((text) => shown.push(text), { isTotalKnown: false });
  const held = Promise.withResolvers<undefined>();
  service.respondWith(({ target }) => (target.includes(BACKUP.projectId) ? held.promise : undefined));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const reads = [
    ...["f".repeat(24), BACKUP.projectId].map((projectId) => reader.readMember(connection, { ...BACKUP, projectId })),
    ...[BACKUP, BACKUP].map((args) => reader.read(connection, args)),
  ];
  await reads[0];
  await vi.advanceTimersByTimeAsync(3000);
  expect(shown.toSorted()).toEqual(["0 read", "1/2 read"]);
  held.resolve(undefined);
  await Promise.all(reads);
});
