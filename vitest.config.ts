import { configDefaults, defineConfig } from "vitest/config";

// `vitest run --mode compatibility` installs other versions and runs them; it takes minutes.
const COMPATIBILITY = "test/compatibility/**/*.test.ts";

export default defineConfig(({ mode }) => ({
  test: {
    include: [mode === "compatibility" ? COMPATIBILITY : "test/**/*.test.ts"],
    exclude: mode === "compatibility" ? configDefaults.exclude : [...configDefaults.exclude, COMPATIBILITY],
    globalSetup: ["test/engine/install-package.ts"],
    setupFiles: ["test/fail-on-console.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    // Most tests wait for processes: one worker would leave a core idle.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
}));
