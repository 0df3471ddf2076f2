import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { WORKER_SETTINGS } from "./test/harness/worker-settings.mts";

/** Tests that take large parts or long: neither part of `npm test` nor of the tests on real parts. */
export default defineConfig({
  test: {
    ...WORKER_SETTINGS,
    include: ["test/nightly/**/*.test.ts"],
    setupFiles: ["test/harness/property-runs.ts"],
    // Control planes of more than two files would not fit into the memory of a small machine.
    maxWorkers: Math.min(2, availableParallelism()),
    testTimeout: 20 * 60_000,
    // As for the tests on real parts, which share their suites with these.
    hookTimeout: 240_000,
  },
});
