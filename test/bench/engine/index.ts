import type { Group } from "../group";
import { compareWithApply } from "./apply";
import { measureDeployments } from "./growth";
import { applyTable, growthTable } from "./report";

export const engine: Group = {
  measure: async (extent, progress) => {
    const comparison = await compareWithApply(extent.comparisons, progress);
    const growth = await measureDeployments(extent, progress);
    return { tables: [applyTable(comparison), growthTable(growth)], measurements: { comparison, growth } };
  },
};
