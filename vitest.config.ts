import { configDefaults, defineConfig } from "vitest/config";

const UNIT = [
  "test/{client,digest,engine/unit,findings,model,text,plugin/unit,program,provider,reading,record,testing,transport}/**/*.test.ts",
  // The others run the built command.
  "test/command/!(main|install-plugin|stand-in).test.ts",
];
// `vitest run --project compatibility` installs other versions and runs them; it takes minutes.
const COMPATIBILITY = ["test/compatibility/**/*.test.ts"];

export default defineConfig({
  test: {
    setupFiles: ["test/fail-on-console.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    // Most tests wait for processes: one worker would leave a core idle.
    maxWorkers: 2,
    // Most of the time of many files would be that of loading the same modules anew.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: { name: "unit", setupFiles: ["test/reset-undici-clock.ts"], include: UNIT, pool: "threads" },
      },
      {
        extends: true,
        test: {
          name: "programs",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...UNIT, ...COMPATIBILITY],
          setupFiles: ["test/deployment/keep-compiled-code.ts"],
          globalSetup: ["test/deployment/install-package.ts"],
        },
      },
      {
        extends: true,
        test: { name: "compatibility", include: COMPATIBILITY, globalSetup: ["test/deployment/install-package.ts"] },
      },
    ],
  },
});
