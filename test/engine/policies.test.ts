import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { PROJECT_ID } from "../deployment/open-program.ts";
import { copyExample } from "../examples/copy-example.ts";
import { usePluginFolder } from "../plugin/plugin-folder.ts";
import { openRecord, RECORD_LANGUAGES } from "./open-record.ts";

const OTHER_PROJECT = "89abcdef0123456789abcdef";
/** Without a secret, whose mark a policy takes away when it copies the properties. */
const SETTINGS = { logPath: "/var/log/read.log" };
const ARGS = { projectId: PROJECT_ID, agent: "monitoring" };
const installed = usePluginFolder();

const NOT_READ = "settings were not read for what its arguments name, because a policy has changed its properties";

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

it.for(POLICIES.flatMap((policy) => RECORD_LANGUAGES.map((language) => ({ ...policy, language }))))(
  "nothing is recorded in $language where a policy returns $returned",
  async ({ language, code, status, says }, context) => {
    const { deployment, service, use } = await openRecord(context, language, installed);
    await use(ARGS);
    await deployment.setConfig("agent-log-config:maxRetries", "0");
    for (const projectId of [PROJECT_ID, OTHER_PROJECT]) service.set(projectId, "monitoring", SETTINGS);
    if (status !== undefined) service.respondWith(() => ({ status }));
    const pack = await copyExample(context, "policy");
    const source = `import { PolicyPack } from "@pulumi/policy";
      const change = ({ type, props: { ...properties } }) => {
        const { projectId, agent, __provider } = properties;
        return type.endsWith(":AgentLogConfig") ? ${code} : undefined;
      };
      const policy = { name: "change", description: "It changes records.", remediateResource: change };
      new PolicyPack("changes", { policies: [{ ...policy, enforcementLevel: "remediate" }] });`;
    await writeFile(path.join(pack, "index.js"), source);
    const env = { PULUMI_OPTION_POLICY_PACK: pack };
    // In a preview the engine asks nothing of a dynamic provider after a policy. A failed read is told by the program.
    const preview = await deployment.preview({ env });
    expect(preview.ok, preview.text).toBe(language === "TypeScript" && status === undefined);
    const { ok, text } = await deployment.up({ env });
    expect([ok, text]).toEqual([false, expect.stringContaining(says)]);
    expect(JSON.stringify(await deployment.exportState())).not.toContain(SETTINGS.logPath);
  },
);
