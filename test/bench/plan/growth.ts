import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RUNNERS_FOLDER, runNode, type Usage } from "../child";
import { environmentWith } from "../environment";
import { type Extent, sizesWithin } from "../extent";

/** Numbers of models, each ten times the one before: cost that grows in proportion grows at most tenfold. */
const MODELS = [10, 100, 1000] as const;

/** Measurements for one number of models, one per round. */
export interface GrowthUsage {
  readonly models: number;
  readonly resources: number;
  /** The whole `plan --json`, as a process of its own. */
  readonly program: readonly Usage[];
  /** The planner's function alone, in seconds, without start, config and resources. */
  readonly plannerSeconds: readonly number[];
}

/** @throws Error when a generated environment is refused: the bench measures work, not refusals. */
export async function measureGrowth(extent: Extent, progress: (text: string) => void): Promise<GrowthUsage[]> {
  const rounds = extent.growth;
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-bench-"));
  const usages = sizesWithin(extent, MODELS).map((models) => ({
    models,
    resources: 0,
    program: [] as Usage[],
    plannerSeconds: [] as number[],
  }));
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const usage of usages) {
        progress(`round ${round} of ${rounds}: ${usage.models} models`);
        const file = join(folder, `${usage.models}.yaml`);
        writeFileSync(file, environmentWith(usage.models));
        const command = ["cli/run.mjs", "plan", "bench", "--json", "--config", file];
        const { stdout, wallSeconds, cpuSeconds, peakRssBytes } = await runNode(command);
        const planner = await runNode(["--import", "tsx", join(RUNNERS_FOLDER, "planner.ts"), file]);
        usage.program.push({ wallSeconds, cpuSeconds, peakRssBytes });
        usage.plannerSeconds.push(Number(planner.stdout));
        usage.resources = (JSON.parse(stdout) as { resources: unknown[] }).resources.length;
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return usages;
}
