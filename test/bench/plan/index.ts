import type { Group } from "../group";
import { measureCandidates } from "./candidates";
import { measureGrowth } from "./growth";
import { bundleTable, candidatesTable, plannerGrowthTable, programGrowthTable, runnerTable } from "./report";
import { compareRunners, ENVIRONMENT, measureBundle } from "./runners";

export const plan: Group = {
  measure: async (rounds, progress) => {
    const bundle = await measureBundle(rounds.comparisons, progress);
    const runners = await compareRunners(rounds.comparisons, progress);
    const candidates = measureCandidates(rounds.comparisons, progress);
    const growth = await measureGrowth(rounds.growth, progress);
    return {
      tables: [
        runnerTable(ENVIRONMENT, runners),
        programGrowthTable(growth),
        plannerGrowthTable(growth),
        candidatesTable(candidates),
        bundleTable(bundle, runners[0]?.rounds ?? []),
      ],
      measurements: { environment: ENVIRONMENT, bundle, runners, growth, candidates },
    };
  },
};
