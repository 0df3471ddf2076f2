import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../../names/repository-root";
import { type ChildRun, RUNNERS_FOLDER, runNode, type Usage } from "../child";

/** The environment that all runners plan. */
export const ENVIRONMENT = "aws-prod";

const COMMAND = ["plan", ENVIRONMENT, "--json"] as const;
const PROGRAM = join(RUNNERS_FOLDER, "program.ts");
const BUNDLE = join(repositoryRoot(), "dist", "cli.cjs");

/** One way to start the same program. */
interface Runner {
  readonly name: string;
  readonly run: (caches: Caches) => Promise<ChildRun>;
  /** Starts without caches in every round, so nothing warms it up. */
  readonly isCold?: true;
}

/** Folders of compiled files that Pulumi's runner keeps between its runs. */
interface Caches {
  readonly kept: string;
  /** Deleted before each run. */
  readonly emptied: string;
}

/** The first one is what users run, and what the others are compared with. */
const RUNNERS: readonly Runner[] = [
  { name: "npm run plan", run: () => runNode(["cli/run.mjs", ...COMMAND]) },
  {
    name: "npm run plan, after an edit",
    run: () => {
      // One that was made from other sources is what an edit leaves behind.
      writeFileSync(BUNDLE, "");
      return runNode(["cli/run.mjs", ...COMMAND]);
    },
  },
  {
    name: "tsx",
    run: () => runNode(["--import", "tsx", "--stack-trace-limit=10", PROGRAM, ...COMMAND]),
  },
  { name: "Pulumi's default, cache filled", run: ({ kept }) => pulumiDefault(kept) },
  {
    name: "Pulumi's default, cache empty",
    isCold: true,
    run: ({ emptied }) => {
      rmSync(emptied, { recursive: true, force: true });
      return pulumiDefault(emptied);
    },
  },
];

function pulumiDefault(cache: string): Promise<ChildRun> {
  return runNode([join(RUNNERS_FOLDER, "pulumi-default.cjs"), ...COMMAND], { TS_NODE_CACHE_DIRECTORY: cache });
}

/** Measurements of one runner, one per round. */
export interface RunnerUsage {
  readonly name: string;
  readonly rounds: readonly Usage[];
}

/**
 * Runs every runner once per round, one after another, after a first round that only fills caches.
 *
 * @throws Error when a runner fails, or prints another plan than the first one: then they did not do the same work.
 */
export async function compareRunners(rounds: number, progress: (text: string) => void): Promise<RunnerUsage[]> {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-bench-"));
  const caches = { kept: join(folder, "kept"), emptied: join(folder, "emptied") };
  const usages = RUNNERS.map(({ name }) => ({ name, rounds: [] as Usage[] }));
  try {
    let expected: string | undefined;
    for (let round = 0; round <= rounds; round++) {
      for (const [i, { name, run, isCold }] of RUNNERS.entries()) {
        if (round === 0 && isCold) {
          continue;
        }
        progress(round === 0 ? `warming up: ${name}` : `round ${round} of ${rounds}: ${name}`);
        const { stdout, wallSeconds, cpuSeconds, peakRssBytes } = await run(caches);
        expected ??= stdout;
        if (stdout !== expected) {
          throw new Error(`"${name}" printed another plan than "${RUNNERS[0]?.name}"; were sources edited meanwhile?`);
        }
        if (round > 0) {
          usages[i]?.rounds.push({ wallSeconds, cpuSeconds, peakRssBytes });
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return usages;
}

/** The bundle of the commands, and what it takes to make all of them. */
export interface BundleUsage {
  readonly bytes: number;
  readonly rounds: readonly Usage[];
}

/** Builds the bundle, once per round. */
export async function measureBundle(rounds: number, progress: (text: string) => void): Promise<BundleUsage> {
  const usages: Usage[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`building the bundle: ${round} of ${rounds}`);
    const { wallSeconds, cpuSeconds, peakRssBytes } = await runNode(["cli/run.mjs", "--build"]);
    usages.push({ wallSeconds, cpuSeconds, peakRssBytes });
  }
  return { bytes: statSync(BUNDLE).size, rounds: usages };
}
