import { availableParallelism, totalmem } from "node:os";
import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { WORKER_SETTINGS } from "./test/harness/worker-settings.mts";

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

export default defineConfig({
  test: {
    ...WORKER_SETTINGS,
    include: ["test/**/*.test.ts", "policies/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/e2e/**", "test/nightly/**", "test/engines-real/**"],
    // Files of one worker run one after the other in one process and load each module once: the Pulumi SDK and the
    // program take seconds, most files milliseconds. So no file may leave anything behind, which is checked, and what
    // it spies on or stubs is undone after each test.
    isolate: false,
    globalSetup: "test/harness/run-folder.ts",
    setupFiles: ["test/harness/setup.ts"],
    sequence: { sequencer: MadeUpLast },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // A worker waits a sixth of its time for servers and timers: three on two cores took 133 s where two took 151, and no more CPU time.
    // It takes up to two GiB.
    maxWorkers: Math.max(1, Math.min(Math.ceil(1.5 * availableParallelism()), Math.floor(totalmem() / 2 ** 31))),
    // The largest properties take ten seconds of a core; next to other builds, several times that.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
