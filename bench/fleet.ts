import packageJson from "../package.json" with { type: "json" };
import { installPackage } from "../test/deployment/install-package.ts";
import { installPlugin } from "./install-plugin.ts";
import { measurePreviews } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import { filesOfYaml, fleetInYaml, MANIFEST, readProgram } from "./programs.ts";
import { projectIds, startSlowService } from "./start-slow-service.ts";

// How long previews of large fleets take, and what failures add to it.

const SDK = `@pulumi/pulumi@${packageJson.devDependencies["@pulumi/pulumi"]}`;

await measurePreviews(
  () => installPackage([SDK]),
  async (openPreview, folder) => {
    const plugin = await installPlugin(folder);
    const near = await startSlowService(2000, 0);
    const empty = await startSlowService(0, 0);
    const yaml = (program: object, { env } = near, exitCode = 0) =>
      openPreview(filesOfYaml(program), { ...env, ...plugin.env }, exitCode);
    const typescript = (program: string, { env } = near, exitCode = 0) =>
      openPreview({ ...MANIFEST, "index.js": program }, env, exitCode);

    const ids = projectIds(2500);
    const large = [
      { what: "YAML, a fleet of 2,000", run: await yaml(fleetInYaml(ids.slice(0, 2000))) },
      { what: "YAML, a fleet of 1,000", goal: "0.5 times", run: await yaml(fleetInYaml(ids.slice(0, 1000))) },
      { what: "YAML, 500 of 2,000 fail", goal: "1.2 times", run: await yaml(fleetInYaml(ids.slice(500)), near, 1) },
    ];
    await measureRounds(3, large);
    const resources = [
      { what: "TypeScript, 1,000 resources", run: await typescript(readProgram(1000)) },
      {
        what: "TypeScript, 1,000 resources fail",
        goal: "1.3 times",
        run: await typescript(readProgram(1000), empty, 1),
      },
    ];
    await measureRounds(3, resources);
    await Promise.all([near, empty].map((service) => service.close()));
  },
);
