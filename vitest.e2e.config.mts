import { availableParallelism, totalmem } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/harness/longest-first.mts";
import { WORKER_SETTINGS } from "./test/harness/worker-settings.mts";

/**
 * They hold the product to limits of two to fifteen seconds, so nothing else runs meanwhile. Every other file shares
 * nothing with its neighbours: ports, folders and servers are its own.
 */
const TIMED = [
  "test/e2e/model-control/proof-attacks.test.ts",
  "test/e2e/model-control/proof-without-redis.test.ts",
  "test/e2e/model-control/tasks.test.ts",
];

const cores = availableParallelism();
/** GiB that a file's servers and its process take together, with room to spare. */
const GIB_PER_FILE = 4;
const filesInMemory = Math.max(1, Math.floor(totalmem() / 2 ** 30 / GIB_PER_FILE));

/** Tests against real parts (promtool, API servers, engines): a missing part fails them, nothing is skipped. */
export default defineConfig({
  test: {
    ...WORKER_SETTINGS,
    // A process for each file: what they take from the SDK's engine and from the search for parts stays in globals.
    isolate: true,
    setupFiles: ["test/harness/property-runs.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      // What brings up the whole platform keeps a core busy.
      {
        extends: true,
        test: {
          name: "1 platform",
          include: ["test/e2e/*.test.ts"],
          maxWorkers: Math.min(2, cores, filesInMemory),
          sequence: { groupOrder: 1 },
        },
      },
      // A server that is asked a few things waits for most of its time.
      {
        extends: true,
        test: {
          name: "2 servers",
          include: ["test/e2e/*/**/*.test.ts"],
          exclude: TIMED,
          maxWorkers: Math.min(2 * cores, filesInMemory),
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: "3 alone", include: TIMED, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
    testTimeout: 120_000,
    // A testbed of the gateway starts an API server, two controllers and proxies: a minute under load.
    hookTimeout: 240_000,
  },
});
