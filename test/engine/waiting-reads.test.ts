import { expect, it } from "vitest";
import { ENGINE, openProgram, PROJECT_ID } from "../deployment/open-program.ts";

const [MONITORING, BACKUP] = ["/var/log/monitoring-agent.log", "/var/log/backup-agent.log"];

// Every way in which the registration of a resource waits for another one is in test/program/wait-for-resources.test.ts.
it.for([
  {
    description: "what the resource depends on exists",
    program: "dependent",
    engine: ENGINE,
    outputs: { byIdPath: MONITORING, afterPath: MONITORING, outputPath: BACKUP },
  },
  {
    description: "its connection is known, and what is in the component that it waits for exists",
    program: "unknown-connection",
    // The stand-in does not model a provider that is not known.
    engine: "real" as const,
    outputs: { connected: MONITORING, member: MONITORING, read: MONITORING, grouped: BACKUP, readAfter: BACKUP },
  },
])("a read on the $engine engine is not begun before $description", async ({ program, engine, outputs }, context) => {
  const { deployment, service } = await openProgram(context, engine, program, { projectId: PROJECT_ID });
  const { text } = await deployment.preview();
  for (const output of Object.keys(outputs)) expect(text).toMatch(new RegExp(`${output}\\s*: \\[unknown\\]`));
  expect(service.requests).toHaveLength(0);

  expect(await deployment.up()).toMatchObject({ ok: true });
  expect(await deployment.outputs()).toEqual(outputs);
  expect(await deployment.preview({ expectNoChanges: true })).toMatchObject({ ok: true, steps: [] });
});
