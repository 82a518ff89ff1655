import { expect, it } from "vitest";
import { Projects } from "../../sdk/testing/projects.ts";
import { respond } from "../../sdk/testing/respond.ts";

const PROJECT_ID = "0123456789abcdef0123456a";
const target = (id: string, query = "") => `/api/public/v1.0/groups/${id}/automationConfig/backupAgentConfig${query}`;

function bodyOf(
  method: string,
  path: string,
  projects = new Projects({ [PROJECT_ID]: { backup: { logPath: "/l" } } }),
) {
  const { status, body } = respond(method, path, projects);
  return [status, String(body)];
}

it.each([
  { query: "", status: 200, body: '{"logPath":"/l"}' },
  { query: "?pretty=true", status: 200, body: '{\n  "logPath": "/l"\n}' },
  { query: "?envelope=true", status: 200, body: '{"status":200,"content":{"logPath":"/l"}}' },
])("sends settings as the query $query asks", ({ query, status, body }) => {
  expect(bodyOf("GET", target(PROJECT_ID, query))).toEqual([status, body]);
});

it("sends a refusal in an envelope with status 200", () => {
  const [status, body] = bodyOf("GET", target("f".repeat(24), "?envelope=true"));
  expect([status, body]).toEqual([
    200,
    expect.stringMatching(/^\{"status":404,"content":\{"error":404,.*GROUP_NOT_FOUND/),
  ]);
});

it("refuses every method but GET", () => {
  expect(bodyOf("POST", target(PROJECT_ID))).toEqual([405, expect.stringContaining("METHOD_NOT_ALLOWED")]);
});

it("keeps the settings of one agent where those of the other are set, whichever case the id has", () => {
  const projects = new Projects({ [PROJECT_ID]: { backup: { logPath: "/l" } } });
  projects.set(PROJECT_ID.toUpperCase(), "monitoring", { logPath: "/m" });
  expect(bodyOf("GET", target(PROJECT_ID.toUpperCase()), projects)).toEqual([200, '{"logPath":"/l"}']);
  expect(projects.read(PROJECT_ID, "monitoring")).toEqual({ logPath: "/m" });
});
