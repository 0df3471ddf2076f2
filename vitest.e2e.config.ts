import { defineConfig } from "vitest/config";

/** Tests against real parts (promtool, API servers, engines): a missing part fails them, nothing is skipped. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    pool: "forks",
    isolate: true,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
