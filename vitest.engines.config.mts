import { defineConfig } from "vitest/config";
import { WORKER_SETTINGS } from "./test/harness/worker-settings.mts";

/** Tests on real engines that take gigabytes: neither part of `npm test` nor of the tests on real parts. */
export default defineConfig({
  test: {
    ...WORKER_SETTINGS,
    include: ["test/engines-real/**/*.test.ts"],
    // An engine takes all cores and some gigabytes of memory.
    maxWorkers: 1,
    testTimeout: 5 * 60_000,
    hookTimeout: 10 * 60_000,
  },
});
