import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it, type TestContext } from "vitest";
import { openService } from "../client/open-client.ts";
import { configure, openProgram, PRIVATE_KEY, PROJECT_ID } from "../deployment/open-program.ts";
import { openRealDeployment } from "../deployment/real-deployment.ts";
import { temporaryFolder } from "../deployment/temporary-folder.ts";
import { copyExample } from "../examples/copy-example.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { requireHost } from "../plugin/require-host.ts";

const OTHER_PROJECT = "89abcdef0123456789abcdef";
/** Without a secret, whose mark a policy takes away when it copies the properties. */
const SETTINGS = { logPath: "/var/log/read.log" };
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const installed = usePluginFolder();

async function openTypeScript(context: TestContext) {
  const { deployment, service } = await openProgram(context, "real", "failures");
  await deployment.setConfig("failures:resources", JSON.stringify({ one: { args: ARGS } }));
  return { deployment, service };
}

async function openYaml(context: TestContext) {
  const { path: folders } = requireHost(context, "yaml");
  const directory = temporaryFolder("yaml");
  const one = { type: "agent-log-config:AgentLogConfig", properties: ARGS };
  const program = { name: "program", runtime: "yaml", resources: { one } };
  await writeFile(path.join(directory, "Pulumi.yaml"), JSON.stringify(program));
  const service = await openService({ privateKey: PRIVATE_KEY });
  const deployment = await openRealDeployment(directory, { PATH: installed.pathWith(folders) }, process.execPath);
  context.onTestFinished(() => deployment.close());
  await configure(deployment, service, "program", {});
  return { deployment, service };
}

const PROGRAMS = [
  { language: "TypeScript", open: openTypeScript },
  { language: "YAML", open: openYaml },
];
const NOT_READ = "settings were not read for this project and agent, because a policy has changed its properties";

/** What a policy returns of the properties of a resource after its check, and why it is not recorded. */
const POLICIES = [
  { returned: "another project", code: `{ ...properties, projectId: "${OTHER_PROJECT}" }`, says: NOT_READ },
  { returned: "arguments alone, in an outage", code: "{ projectId, agent, __provider }", status: 503, says: NOT_READ },
  {
    returned: "an expectation",
    code: '{ ...properties, expect: { logPath: "/expected" } }',
    says: "logPath is not as expected; change it in the service, or change expect",
  },
];

it.for(POLICIES.flatMap((policy) => PROGRAMS.map((program) => ({ ...policy, ...program }))))(
  "nothing is recorded in $language where a policy returns $returned",
  async ({ open, code, status, says }, context) => {
    const { deployment, service } = await open(context);
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    for (const projectId of [PROJECT_ID, OTHER_PROJECT]) service.set(projectId, "monitoring", SETTINGS);
    if (status !== undefined) service.respondWith({ status });
    const pack = await copyExample(context, "policy");
    const source = `import { PolicyPack } from "@pulumi/policy";
      const change = ({ type, props: { ...properties } }) => {
        const { projectId, agent, __provider } = properties;
        return type.endsWith(":AgentLogConfig") ? ${code} : undefined;
      };
      const policy = { name: "change", description: "It changes records.", remediateResource: change };
      new PolicyPack("changes", { policies: [{ ...policy, enforcementLevel: "remediate" }] });`;
    await writeFile(path.join(pack, "index.js"), source);
    const { ok, text } = await deployment.up({ env: { PULUMI_OPTION_POLICY_PACK: pack } });
    expect([ok, text]).toEqual([false, expect.stringContaining(says)]);
    expect(JSON.stringify(await deployment.exportState())).not.toContain(SETTINGS.logPath);
  },
);
