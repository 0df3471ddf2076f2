import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "policies/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/e2e/**", "test/nightly/**"],
    // The Pulumi runtime keeps its state in globals: one process per file keeps files apart.
    pool: "forks",
    isolate: true,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
