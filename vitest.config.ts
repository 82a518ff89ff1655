import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/engine/install-package.ts"],
    setupFiles: ["test/fail-on-console.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    // Most tests wait for processes: one worker would leave a core idle.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
