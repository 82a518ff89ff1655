import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { type Job, jobsBefore, ROOT, readWorkflow } from "./workflow.ts";

const FOLDER = path.join(ROOT, ".github/workflows");
const release = readWorkflow("release.yml");
const runsOf = ({ steps = [] }: Job) => steps.map(({ run = "" }) => run);

it("uses one commit of each action, beside the version that it is", () => {
  const files = globSync("{,examples/*/}.github/workflows/*.yml", { cwd: ROOT });
  expect(files.length).toBeGreaterThan(3);
  const texts = files.map((file) => readFileSync(path.join(ROOT, file), "utf8"));
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: *(.*)$/gm)].map(([, used = ""]) => used));
  const actions = uses.filter((used) => !used.startsWith("./"));
  expect(actions.filter((used) => !/^[\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(used))).toEqual([]);
  const names = new Set(actions.map((used) => used.split("@")[0]));
  expect(new Set(actions).size).toBe(names.size);
});

it("gives no token to the code of a pull request in the example of a drift gate", () => {
  const { on } = readWorkflow("drift.yml", "examples/drift-gate");
  expect(Object.keys(on)).toEqual(["schedule", "push", "workflow_dispatch"]);
});

it.for(globSync("*.yml", { cwd: FOLDER }))("%s lets a job only read unless it says more", (file) => {
  expect(readWorkflow(file).permissions).toEqual({ contents: "read" });
});

it("runs no code of a dependency in a job that may sign, publish or write", () => {
  const privileged = Object.entries(release.jobs).filter(([, { permissions = {} }]) =>
    Object.values(permissions).includes("write"),
  );
  expect(privileged.map(([name]) => name)).toEqual(["attest", "publish", "attach"]);
  for (const [name, job] of privileged) {
    expect(
      job.steps?.filter(({ uses }) => uses?.startsWith("actions/checkout@")),
      name,
    ).toEqual([]);
    const commands = runsOf(job).filter((run) => /\b(?:npx|node|npm (?!publish .*--ignore-scripts\b))/.test(run));
    expect(commands, name).toEqual([]);
  }
});

it("installs dependencies without their scripts, which would download a Node.js that no lockfile pins", () => {
  const installs = Object.values(release.jobs)
    .flatMap(runsOf)
    .filter((run) => /npm (?:ci|install)\b/.test(run));
  expect(new Set(installs)).toEqual(new Set(["npm ci --ignore-scripts"]));
});

it("builds with the Node.js that the tests run on", () => {
  expect(release.env?.["NODE_VERSION"]).toBe(manifest.devDependencies.node);
  const versions = Object.values(release.jobs).flatMap(({ steps = [] }) =>
    steps.filter(({ uses }) => uses?.startsWith("actions/setup-node@")).map((step) => step.with?.["node-version"]),
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an expression of the workflow
  expect(new Set(versions)).toEqual(new Set(["${{ env.NODE_VERSION }}"]));
});

it("publishes after everything else is complete", () => {
  expect(jobsBefore(release.jobs, "publish").sort()).toEqual(["attest", "check", "pack", "plugin", "test"]);
  expect(jobsBefore(release.jobs, "attach")).toContain("publish");
});
