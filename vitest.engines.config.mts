import { defineConfig } from "vitest/config";

/** Tests on real engines that take gigabytes: neither part of `npm test` nor of the tests on real parts. */
export default defineConfig({
  test: {
    include: ["test/engines-real/**/*.test.ts"],
    // An engine takes all cores and some gigabytes of memory.
    maxWorkers: 1,
    pool: "forks",
    testTimeout: 5 * 60_000,
    hookTimeout: 10 * 60_000,
  },
});
