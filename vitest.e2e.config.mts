import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/**
 * They hold the product to limits of two to fifteen seconds, so nothing else runs meanwhile. Every other file shares
 * nothing with its neighbours: ports, folders and servers are its own.
 */
const TIMED = [
  "test/e2e/model-control/proof-attacks.test.ts",
  "test/e2e/model-control/proof-without-redis.test.ts",
  "test/e2e/model-control/tasks.test.ts",
];

const TOGETHER = {
  // Servers of more than two files would not fit into the memory of a small machine.
  maxWorkers: Math.min(2, availableParallelism()),
  sequence: { groupOrder: 1 },
};

/** Tests against real parts (promtool, API servers, engines): a missing part fails them, nothing is skipped. */
export default defineConfig({
  test: {
    // A process for each file: what they take from the SDK's engine and from the search for parts stays in globals.
    pool: "forks",
    isolate: true,
    setupFiles: ["test/harness/property-runs.ts"],
    projects: [
      // Vitest starts projects of one group in the order of their names. What brings up the whole platform takes minutes a
      // file, so it goes before the many short ones, which then fill both workers to the end.
      {
        extends: true,
        test: { name: "1 platform", include: ["test/e2e/*.test.ts"], ...TOGETHER },
      },
      {
        extends: true,
        test: { name: "2 servers", include: ["test/e2e/*/**/*.test.ts"], exclude: TIMED, ...TOGETHER },
      },
      {
        extends: true,
        test: { name: "3 alone", include: TIMED, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
    testTimeout: 120_000,
    // A stand of the gateway starts an API server, two controllers and proxies: a minute beside other work.
    hookTimeout: 240_000,
  },
});
