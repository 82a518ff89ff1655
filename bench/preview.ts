import packageJson from "../package.json" with { type: "json" };
import { installPackage } from "../test/deployment/install-package.ts";
import { installPlugin } from "./install-plugin.ts";
import { measurePreviews } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import {
  filesOfYaml,
  fleetInYaml,
  fleetProgram,
  literalProgram,
  literalsInYaml,
  MANIFEST,
  readProgram,
} from "./programs.ts";
import { projectIds, startSlowService } from "./start-slow-service.ts";
import { writeResults } from "./write-results.ts";

// How long previews take: beside an empty program, beside the same resources with the values written down, and in an outage.

const ROUNDS = 5;
const DELAY_MILLISECONDS = 40;
const SDK = `@pulumi/pulumi@${packageJson.devDependencies["@pulumi/pulumi"]}`;

await measurePreviews(
  () => installPackage([SDK]),
  async (openPreview, folder) => {
    const service = await startSlowService(200, DELAY_MILLISECONDS);
    const down = await startSlowService(0, DELAY_MILLISECONDS);
    down.failWith(503);
    const typescript = (program: string, { env } = service, exitCode = 0) =>
      openPreview({ ...MANIFEST, "index.js": program }, env, exitCode);
    const literal = async (resources: number) => {
      const run = await typescript(literalProgram(resources));
      return async () => {
        const requests = service.countRequests();
        await run();
        if (service.countRequests() > requests)
          throw new Error("A program with literal settings has read from the service.");
      };
    };
    const plugin = await installPlugin(folder);
    const yaml = (program: object) => openPreview(filesOfYaml(program), { ...service.env, ...plugin.env });
    const lines = [
      ...(await measureRounds(ROUNDS, [
        { what: "TypeScript, an empty program", run: await typescript("") },
        { what: "1 resource with literal settings", run: await literal(1) },
        { what: "1 resource that reads", run: await typescript(readProgram(1)) },
        { what: "50 resources with literal settings", run: await literal(50) },
        { what: "50 resources that read", run: await typescript(readProgram(50)) },
        { what: "200 resources with literal settings", run: await literal(200) },
        { what: "200 resources that read", run: await typescript(readProgram(200)) },
        { what: "a fleet of 200 projects", run: await typescript(fleetProgram(200)) },
        { what: "200 resources that fail, the service responds 503", run: await typescript(readProgram(200), down, 1) },
      ])),
      ...(await measureRounds(ROUNDS, [
        { what: "YAML, 200 resources with literal settings", run: await yaml(literalsInYaml(200)) },
        { what: "YAML, a fleet of 200 projects", run: await yaml(fleetInYaml(projectIds(200))) },
      ])),
    ];
    writeResults({
      Previews: `Written by \`npm run bench:preview\`: medians of ${ROUNDS} rounds, each as a whole run of \`pulumi preview\` of a new
stack. Each response of the service takes ${DELAY_MILLISECONDS} ms. The last column is the median of each round's own
ratio to the first line of the same language.

| | seconds | times |
|---|--:|--:|
${lines.join("\n")}
`,
    });
    await Promise.all([service.close(), down.close()]);
  },
);
