import { compare, families as counted, transformersVersion, vllmReleases } from "../../planner/model/families/compare";
import type { Group } from "../group";
import { failuresOf, familyTables, type Judged } from "./report";

/** The planner's parameter counts beside exact ones, family by family. Takes no time worth measuring. */
export const families: Group = {
  measure: async () => {
    const newest = vllmReleases.at(-1) ?? "";
    const judged: Judged[] = counted.map((family) => ({
      name: family.modelType,
      served: family.servedBy.includes(newest),
      outcome: compare(family),
    }));
    return {
      tables: familyTables(judged, { vllm: newest, transformers: transformersVersion }),
      measurements: { vllm: newest, transformers: transformersVersion, families: judged },
      failures: failuresOf(judged),
    };
  },
};
