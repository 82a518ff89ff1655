import { describe, expect, it, onTestFinished } from "vitest";
import { AgentLogConfigClient } from "../../sdk/client/index.ts";
import { type Service, startService } from "../../sdk/testing/index.ts";

const PROJECT_ID = "0123456789abcdef01234567";

async function open(): Promise<{ service: Service; client: AgentLogConfigClient }> {
  const service = await startService({ publicKey: "user", privateKey: "pass" });
  onTestFinished(() => service.close());
  const keys = { publicKey: "user", privateKey: "pass" };
  const client = new AgentLogConfigClient({ baseUrl: service.baseUrl, ...keys, allowHttp: true, maxRetries: 0 });
  onTestFinished(() => client.close());
  return { service, client };
}

describe("startService", () => {
  it("challenges as the contract, section 5, says", async () => {
    const { service } = await open();
    const response = await fetch(`${service.baseUrl}/groups/${PROJECT_ID}/automationConfig/backupAgentConfig`);
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/json;charset=ISO-8859-1");
    expect(response.headers.get("www-authenticate")).toMatch(
      /^Digest realm="Example Public API", domain="", nonce="[A-Za-z0-9+/]{32}", algorithm=MD5, qop="auth", stale=false$/,
    );
  });

  it.each([
    { description: "no project", set: undefined, outcome: { code: "ERR_PROJECT_NOT_FOUND" } },
    { description: "the other agent alone", set: "monitoring", outcome: { logPath: undefined } },
    { description: "the agent", set: "backup", outcome: { logPath: "/l" } },
  ] as const)("answers where it knows $description", async ({ set, outcome }) => {
    const { service, client } = await open();
    if (set !== undefined) service.set(PROJECT_ID, set, { logPath: "/l" });
    const read = await client.get({ projectId: PROJECT_ID, agent: "backup" }).catch((error: unknown) => error);
    expect(read).toMatchObject(outcome);
  });

  it("keeps what it was asked, refusals among it", async () => {
    const { service, client } = await open();
    service.set(PROJECT_ID, "backup", {});
    await client.get({ projectId: PROJECT_ID, agent: "backup", pretty: true });
    expect(service.requests.map(({ method, status }) => `${method} ${status}`)).toEqual(["GET 401", "GET 200"]);
    expect(service.requests[1]?.target).toMatch(/backupAgentConfig\?pretty=true$/);
  });

  it("refuses another key from the moment it is rotated", async () => {
    const { service, client } = await open();
    service.set(PROJECT_ID, "backup", {});
    await client.get({ projectId: PROJECT_ID, agent: "backup" });
    service.rotateKey("other");
    const refused = client.get({ projectId: PROJECT_ID, agent: "backup" });
    await expect(refused).rejects.toMatchObject({ code: "ERR_WRONG_KEY" });
  });
});
