import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/fail-on-console.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    testTimeout: 20_000,
    hookTimeout: 120_000,
  },
});
