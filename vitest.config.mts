import { availableParallelism, totalmem } from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keptTransforms } from "./test/harness/kept-transforms.mts";

/** Files of this name load the program anew, with more in its tables. */
const MADE_UP = "made-up.test.ts";

/** Vitest's order, but what loads the program anew comes last: each later file of its process would load it once more. */
class MadeUpLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isMadeUp = ({ moduleId }: TestSpecification) => basename(moduleId) === MADE_UP;
    return [...sorted.filter((file) => !isMadeUp(file)), ...sorted.filter(isMadeUp)];
  }
}

/**
 * Most code runs too seldom to be worth optimizing: V8 optimizes what ran 16 times as much as by default. Node 22 and later count calls
 * instead, refuse this option, and keep their default.
 */
const COMPILER = process.versions.node.startsWith("20.") ? [`--interrupt-budget=${16 * 66 * 1024}`] : [];

const transforms = keptTransforms(fileURLToPath(new URL(".", import.meta.url)));

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "policies/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/e2e/**", "test/nightly/**", "test/engines-real/**"],
    // Files of one worker run one after the other in one process and load each module once: the Pulumi SDK and the
    // program take seconds, most files milliseconds. So no file may leave anything behind, which is checked, and what
    // it spies on or stubs is undone after each test.
    pool: "forks",
    isolate: false,
    // Most of what a run leaves behind dies young, given room for it: with a quarter of this, everything took a fifth more CPU time.
    execArgv: ["--max-semi-space-size=256", "--min-semi-space-size=128", ...COMPILER],
    globalSetup: "test/harness/run-folder.ts",
    experimental: { fsModuleCache: transforms !== undefined, fsModuleCachePath: transforms },
    // In this order: what is left behind is measured from what the others set.
    setupFiles: [
      "test/harness/same-everywhere.ts",
      "test/harness/known-programs.ts",
      "test/harness/property-runs.ts",
      "test/harness/leaves-nothing.ts",
    ],
    sequence: { sequencer: MadeUpLast },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // A worker waits a sixth of its time for servers and timers: three on two cores took 133 s where two took 151, and no more CPU time.
    // It takes up to two GiB.
    maxWorkers: Math.max(1, Math.min(Math.ceil(1.5 * availableParallelism()), Math.floor(totalmem() / 2 ** 31))),
    // The largest properties take ten seconds of a core; beside other builds, several times that.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
