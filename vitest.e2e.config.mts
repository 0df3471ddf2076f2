import { defineConfig } from "vitest/config";

/** Tests against real parts (promtool, API servers, engines): a missing part fails them, nothing is skipped. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    pool: "forks",
    isolate: true,
    // Each file starts servers that take whole cores: side by side they only wait for one another.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
