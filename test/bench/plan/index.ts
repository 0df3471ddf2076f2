import type { Group } from "../group";
import { measureCandidates } from "./candidates";
import { measureGrowth } from "./growth";
import { bundleTable, candidatesTable, plannerGrowthTable, programGrowthTable, runnerTable } from "./report";
import { compareRunners, ENVIRONMENT, measureBundle } from "./runners";

export const plan: Group = {
  measure: async (extent, progress) => {
    const bundle = await measureBundle(extent.comparisons, progress);
    const runners = await compareRunners(extent.comparisons, progress);
    const candidates = measureCandidates(extent.comparisons, progress);
    const growth = await measureGrowth(extent, progress);
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
