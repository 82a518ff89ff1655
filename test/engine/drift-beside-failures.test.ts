import { createServer, request as sendRequest } from "node:http";
import { expect, it } from "vitest";
import type { Service } from "../../sdk/testing/index.ts";
import { ENGINES, openProgram } from "../deployment/open-program.ts";
import type { StepSummary } from "../deployment/step-summary.ts";
import { listen } from "../servers/listen.ts";

const ALL = Array.from({ length: 60 }, (_, index) => index.toString(16).padStart(24, "a"));
const DRIFTED = [2, 10, 13];
const GONE = [7, 3, 11];
const UNEXPECTED = [8, 9];

/** What ill projects answer to credentials that are right. */
interface Illness {
  readonly status: number;
  readonly body?: string;
  readonly ill: readonly number[];
}

/** An overload of five projects in a row, and the access list of one project. */
const ILLNESSES: readonly Illness[] = [
  { status: 503, ill: [3, 4, 5, 6, 7] },
  { status: 403, body: JSON.stringify({ error: 403, errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST" }), ill: [5] },
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

const driftIn = (steps: readonly StepSummary[]) =>
  steps.filter(({ differences = [] }) => differences.some((text) => text.endsWith(' => "/drifted"')));

it.for(ENGINES)(
  "a preview compares all projects beside those that fail, and none of these is recorded, on the %s engine",
  async (engine, context) => {
    // The stand-in engine is slower, and has nothing to lose by fewer.
    const projectIds = ALL.slice(0, engine === "real" ? 60 : 14);
    const { deployment, service } = await openProgram(context, engine, "failures");
    const ask = (expectations: (index: number) => object) => {
      const resources = projectIds.map((projectId, index) => [
        `project-${index}`,
        { args: { projectId, agent: "monitoring", whenUnavailable: "useRecorded", ...expectations(index) } },
      ]);
      return deployment.setConfig("failures:resources", JSON.stringify(Object.fromEntries(resources)));
    };
    for (const projectId of projectIds) service.set(projectId, "monitoring", { logPath: `/log/${projectId}` });
    let illness: Illness | undefined;
    const illnessOf = (id: string) => (illness?.ill.includes(projectIds.indexOf(id)) ? illness : undefined);
    await ask(() => ({}));
    await deployment.setConfigs({
      "agent-log-config:baseUrl": await startFront(service, illnessOf),
      "agent-log-config:maxRetries": "0",
    });
    expect(await deployment.up()).toMatchObject({ ok: true });
    for (const index of DRIFTED) service.set(projectIds[index] ?? "", "monitoring", { logPath: "/drifted" });

    for (illness of ILLNESSES) {
      const { ok, steps, text } = await deployment.preview();
      expect(driftIn(steps)).toHaveLength(DRIFTED.length);
      expect(ok).toBe(illness.status >= 500);
      const named = Array.from(text.matchAll(/of project (\w+)/g), ([, id = ""]) => projectIds.indexOf(id));
      expect(illness.ill).toEqual(expect.arrayContaining(named));
      expect(named.length).toBeGreaterThan(0);
    }
    illness = undefined;

    for (const index of GONE) service.set(projectIds[index] ?? "", "monitoring", undefined);
    await ask((index) => (UNEXPECTED.includes(index) ? { expect: { logPath: "/srv" } } : {}));
    const preview = await deployment.preview();
    expect(preview.ok).toBe(false);
    // One resource reports for all: its own failure, and the names of those with the same cause.
    const named = preview.text.match(/\bproject-\d+\b(?=(?:' has a problem)?: Can't|,|\.$)/gm);
    expect(new Set(named)).toEqual(new Set(GONE.map((index) => `project-${index}`)));
    expect(preview.text.match(/there is no such project/g)).toHaveLength(1);
    // The values differ in the id alone.
    for (const index of UNEXPECTED) {
      expect(preview.text).toContain(`logPath is "/log/${projectIds[index]}", expected "/srv"`);
    }
    expect(driftIn(preview.steps)).toHaveLength(DRIFTED.length);

    expect(await deployment.up()).toMatchObject({ ok: false });
    const state = JSON.stringify(await deployment.exportState());
    for (const index of GONE) expect(state).toContain(`/log/${projectIds[index]}`);
  },
);
