import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { lookUpConnection, stackConfiguration } from "../../sdk/connection/connection-settings.ts";
import { SettingsReader } from "../../sdk/connection/settings-reader.ts";
import { openService } from "../client/open-client.ts";
import { CA_FILE } from "../client/test-certificate.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";

const BACKUP = { projectId: "0123456789abcdef01234567", agent: "backup" };

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
  const reader = new SettingsReader();
  await reader.read(connection, BACKUP);
  await reader.read({ ...connection }, BACKUP);
  expect(service.requests.map(({ status }) => status)).toEqual([401, 200, 200]);
});

it("opens a connection anew that could not be opened", async () => {
  const folder = temporaryFolder("ca");
  const caCertificate = path.join(folder, "ca.pem");
  const { connection } = await open({ caCertificate });
  const reader = new SettingsReader();
  await expect(reader.read(connection, BACKUP)).rejects.toMatchObject({ code: "ERR_INVALID_SETTINGS" });
  await copyFile(CA_FILE, caCertificate);
  expect(await reader.read(connection, BACKUP)).toMatchObject({ logPath: "/l" });
});

it("quotes no argument, because it may be a secret", async () => {
  const { connection } = await open();
  const read = new SettingsReader().read(connection, { projectId: "secret-0001", agent: "backup" });
  await expect(read).rejects.toThrow(/projectId must be 24 hexadecimal digits\. /);
});
