import packageJson from "../package.json" with { type: "json" };
import { installPackage } from "../test/engine/install-package.ts";
import { measurePreviews } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import { projectIds, SETTINGS, startSlowService } from "./start-slow-service.ts";

// How long previews take with resources that are read, beside the same program with the values written down.

const ROUNDS = 7;
const SDK = `@pulumi/pulumi@${packageJson.devDependencies["@pulumi/pulumi"]}`;
const MANIFEST = { "Pulumi.yaml": "name: bench\nruntime: nodejs\n", "package.json": '{ "main": "index.js" }' };

await measurePreviews(
  () => installPackage([SDK]),
  async (openPreview) => {
    for (const resources of [1, 200]) {
      for (const delayMilliseconds of [0, 40]) {
        const service = await startSlowService(resources, delayMilliseconds);
        const open = (program: string) => openPreview({ ...MANIFEST, "index.js": program }, service.env);
        const what = `${resources} resources, ${delayMilliseconds} ms`;
        await measureRounds(ROUNDS, [
          { what: `${what}, literal`, run: await open(literalProgram(resources)) },
          { what: `${what}, read`, run: await open(readProgram(resources)) },
        ]);
        process.stdout.write(`  ${service.countRequests() / (ROUNDS + 1)} requests a preview\n`);
        await service.close();
      }
    }
  },
);

function readProgram(resources: number): string {
  return `const { AgentLogConfig } = require("pulumi-agent-log-config");
for (const projectId of ${JSON.stringify(projectIds(resources))}) {
  new AgentLogConfig("r" + projectId, { projectId, agent: "monitoring" });
}
`;
}

/** The same resource as the engine sees it, by the SDK's own means. */
function literalProgram(resources: number): string {
  return `const pulumi = require("@pulumi/pulumi");
const shared = (file) => require("../node_modules/pulumi-agent-log-config/dist/shared/" + file);
const { PROVIDER_TEXT } = shared("provider-text.js");
const { lookUpConnection } = shared("connection-settings.js");
const connection = shared("reading.js").fingerprintsOf(lookUpConnection(pulumi.runtime.getConfig));
class Literal extends pulumi.CustomResource {}
for (const projectId of ${JSON.stringify(projectIds(resources))}) {
  const read = { projectId, agent: "monitoring" };
  new Literal("pulumi-nodejs:dynamic/agentLogConfig:AgentLogConfig", "r" + projectId, {
    ...read,
    ...${JSON.stringify({ ...SETTINGS, logPathWindows: null, username: null })},
    configOverrides: pulumi.secret(null),
    __reading: { ...read, connection, problem: null, secrets: [], others: [] },
    __provider: PROVIDER_TEXT,
  }, { additionalSecretOutputs: ["configOverrides"] });
}
`;
}
