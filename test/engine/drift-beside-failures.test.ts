import { createServer, request as sendRequest } from "node:http";
import { describe, expect, it, type TestContext } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { ENGINES, type EngineName, openProgram } from "../deployment/open-program.ts";
import type { StepSummary } from "../deployment/step-summary.ts";
import { listen } from "../servers/listen.ts";

const PROJECT_IDS = Array.from({ length: 24 }, (_, index) => index.toString(16).padStart(24, "a"));
const DRIFTED = [2, 13, 21];
const MANY = Array.from({ length: 60 }, (_, index) => index.toString(16).padStart(24, "0"));
const GONE = [7, 3, 11];
const DRIFTED_OF_MANY = [5, 10];

/** What an ill project answers to credentials that are right. */
interface Illness {
  readonly description: string;
  readonly status: number;
  readonly body?: string;
  readonly ill: readonly number[];
}

const ILLNESSES: readonly Illness[] = [
  { description: "overload of five projects in a row", status: 503, ill: [3, 4, 5, 6, 7] },
  {
    description: "the access list of one project",
    status: 403,
    body: JSON.stringify({ error: 403, errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }),
    ill: [5],
  },
];

/** Puts a server in front of the service that answers for ill projects itself. Returns its address. */
async function startFront(service: Service, illnessOf: (projectId: string) => Illness | undefined): Promise<string> {
  const { hostname, port, pathname } = new URL(service.baseUrl);
  const server = createServer((near, response) => {
    const illness = illnessOf(/groups\/(\w+)/.exec(near.url ?? "")?.[1] ?? "");
    const forwarded = sendRequest(
      { hostname, port, method: near.method, path: near.url, headers: near.headers },
      (far) => {
        if (illness === undefined || near.headers.authorization === undefined) {
          far.pipe(response.writeHead(far.statusCode ?? 500, far.headers));
          return;
        }
        far.resume();
        response.writeHead(illness.status).end(illness.body ?? "{}");
      },
    );
    forwarded.end();
  });
  return `http://127.0.0.1:${await listen(server)}${pathname}`;
}

/** Opens a program with a resource of each project. */
function open(context: TestContext, engine: EngineName, projectIds: readonly string[], rules: object = {}) {
  const resources = projectIds.map((projectId, index) => [
    `project-${index}`,
    { args: { ...rules, projectId, agent: "monitoring" } },
  ]);
  return openProgram(context, engine, "failures", { resources: Object.fromEntries(resources) });
}

const driftIn = (steps: readonly StepSummary[]) =>
  steps.filter(({ differences = [] }) => differences.some((text) => text.endsWith(' => "/drifted"')));

describe.each(ENGINES)("on the %s engine, a preview", (engine) => {
  it.for(ILLNESSES)("compares all projects that can be read, beside $description", async (illness, context) => {
    // The stand-in engine is slower.
    const projectIds = PROJECT_IDS.slice(0, engine === "real" ? 24 : 14);
    const drifted = DRIFTED.filter((index) => index < projectIds.length);
    const args = { whenUnavailable: "useRecorded" };
    const { deployment, service } = await open(context, engine, projectIds, args);
    for (const projectId of projectIds) service.set(projectId, "monitoring", { logPath: "/recorded" });
    let isIll = false;
    const illnessOf = (id: string) => (isIll && illness.ill.includes(projectIds.indexOf(id)) ? illness : undefined);
    await deployment.setConfigs({
      "agent-log-config:baseUrl": await startFront(service, illnessOf),
      "agent-log-config:maxRetries": "0",
    });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const index of drifted) service.set(projectIds[index] ?? "", "monitoring", { logPath: "/drifted" });
    isIll = true;

    const { ok, steps, text } = await deployment.preview();
    expect(driftIn(steps)).toHaveLength(drifted.length);
    const isOutage = illness.status >= 500;
    expect(ok).toBe(isOutage);
    const named = Array.from(text.matchAll(/of project (\w+)/g), ([, id = ""]) => projectIds.indexOf(id));
    expect(named.filter((index) => !illness.ill.includes(index))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  it("names what is expected of each value, although the values differ in an id or an agent alone", async (context) => {
    const projectIds = PROJECT_IDS.slice(0, 2);
    const args = { expect: { logPath: "/srv" } };
    const { deployment, service } = await open(context, engine, projectIds, args);
    for (const projectId of projectIds) service.set(projectId, "monitoring", { logPath: `/log/${projectId}` });
    const { ok, text } = await deployment.preview();
    expect(ok).toBe(false);
    for (const projectId of projectIds) expect(text).toContain(`logPath is "/log/${projectId}", expected "/srv"`);
  });

  it("shows all drift of many projects and names every failing read, and nothing that fails is recorded", async (context) => {
    // The stand-in engine is slower, and has nothing to lose by fewer.
    const projectIds = MANY.slice(0, engine === "real" ? 60 : 12);
    const { deployment, service } = await open(context, engine, projectIds);
    for (const projectId of projectIds) service.set(projectId, "monitoring", { logPath: `/log/${projectId}` });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const index of GONE) service.set(MANY[index] ?? "", "monitoring", undefined);
    for (const index of DRIFTED_OF_MANY) service.set(MANY[index] ?? "", "monitoring", { logPath: "/drifted" });

    const preview = await deployment.preview();
    expect(preview.ok).toBe(false);
    // One resource reports for all: its own failure, and the names of those with the same cause.
    const named = preview.text.match(/\bproject-\d+\b(?=' has a problem: Can't|,|\.$)/gm);
    expect(new Set(named)).toEqual(new Set(GONE.map((index) => `project-${index}`)));
    expect(preview.text.match(/there is no such project/g)).toHaveLength(1);
    expect(driftIn(preview.steps)).toHaveLength(DRIFTED_OF_MANY.length);

    expect(await deployment.up()).toMatchObject({ ok: false });
    const state = JSON.stringify(await deployment.exportState());
    for (const index of GONE) expect(state).toContain(`/log/${MANY[index]}`);
    expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: false });
  });
});
