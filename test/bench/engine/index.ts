import type { Group } from "../group";
import { compareWithApply } from "./apply";
import { measureDeployments } from "./growth";
import { applyTable, growthTable } from "./report";

export const engine: Group = {
  measure: async (rounds, progress) => {
    const comparison = await compareWithApply(rounds.comparisons, progress);
    const growth = await measureDeployments(rounds.growth, progress);
    return { tables: [applyTable(comparison), growthTable(growth)], measurements: { comparison, growth } };
  },
};
