import { execFile } from "node:child_process";
import crypto from "node:crypto";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client, errors } from "undici";
import { expect, it, vi } from "vitest";
import { agentLogSettingsSchema } from "../../sdk/model/agent-log-settings.ts";
import { Cookies } from "../../sdk/transport/cookies.ts";
import { queueFaults } from "../testing/queue-faults.ts";
import { failureOf, KEYS, MONITORING, openClient, openService } from "./open-client.ts";

const DEFECT = new TypeError("x is not a function");
const REFUSED = new errors.InvalidArgumentError("invalid path");

function fail(): never {
  throw DEFECT;
}

/** Each layer of a read, and how an error is thrown in it that nobody expects there. */
it.each<readonly [layer: string, error: Error, arrange: () => { mockRestore(): void }]>([
  ["the connection", DEFECT, () => vi.spyOn(Client.prototype, "dispatch").mockImplementation(() => fail())],
  [
    "a request that undici refuses",
    REFUSED,
    () =>
      vi.spyOn(Client.prototype, "dispatch").mockImplementation(() => {
        throw REFUSED;
      }),
  ],
  ["the Digest", DEFECT, () => vi.spyOn(crypto, "hash").mockImplementation(() => fail())],
  ["the cookies", DEFECT, () => vi.spyOn(Cookies.prototype, "keep").mockImplementation(() => fail())],
  ["the body", DEFECT, () => vi.spyOn(TextDecoder.prototype, "decode").mockImplementation(() => fail())],
  ["the JSON", DEFECT, () => vi.spyOn(JSON, "parse").mockImplementation(() => fail())],
  ["the settings", DEFECT, () => vi.spyOn(agentLogSettingsSchema, "safeParse").mockImplementation(() => fail())],
])("a defect in %s is no outage and is not retried", async (_, { message }, arrange) => {
  const service = await openService();
  queueFaults(service, { status: 200, headers: { "Set-Cookie": "a=b" }, body: '{"configOverrides":{"a":1}}' });
  const client = openClient(service, { maxRetries: 3 });
  const mock = arrange();
  const failure = await failureOf(client).finally(() => mock.mockRestore());
  expect(failure).toMatchObject({ code: "ERR_UNKNOWN", temporary: false, cause: { message } });
  expect(String(failure)).toContain(`project ${MONITORING.projectId} from 127.0.0.1`);
  expect(service.requests.length).toBeLessThanOrEqual(2);
});

it("says that the Digest of the service needs MD5 where OpenSSL does not allow it", async () => {
  const service = await openService();
  const client = pathToFileURL("sdk/client/index.ts").href;
  const options = JSON.stringify({ ...KEYS, baseUrl: service.baseUrl, allowHttp: true });
  // Node.js keeps a hash that was used before the mode was set.
  const program = `
    require("node:crypto").setFips(true);
    import(${JSON.stringify(client)}).then(async ({ AgentLogConfigClient }) => {
      const client = new AgentLogConfigClient(${options});
      await client.get(${JSON.stringify(MONITORING)}).catch(({ code, message }) => console.log(code, message));
      process.exit();
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", program]);
  expect(stdout).toMatch(
    /^ERR_RUNTIME Can't read .*: the Digest of the service needs MD5, which this Node.js does not allow; /,
  );
});
