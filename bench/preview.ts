import packageJson from "../package.json" with { type: "json" };
import { installPackage } from "../test/deployment/install-package.ts";
import { measurePreviews } from "./measure-previews.ts";
import { measureRounds } from "./measure-rounds.ts";
import { literalProgram, MANIFEST, readProgram } from "./programs.ts";
import { startSlowService } from "./start-slow-service.ts";

// How long previews take with resources that are read, beside the same program with the values written down.

const ROUNDS = 7;
const SDK = `@pulumi/pulumi@${packageJson.devDependencies["@pulumi/pulumi"]}`;

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
