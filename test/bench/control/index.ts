import type { Group } from "../group";
import { measureAnswers } from "./answers";
import { answersTable, residencyTable, statusTable } from "./report";
import { measureResidency } from "./residency";
import { MODELS, withStand } from "./stand";
import { measureStatus } from "./status";

export const control: Group = {
  measure: (extent, progress) => {
    progress("starting Redis, Ollama and the API");
    return withStand(async (stand) => {
      const status = await measureStatus(stand, extent.comparisons, progress);
      const residency = await measureResidency(stand, extent.comparisons, progress);
      const answers = await measureAnswers(stand, extent.comparisons, progress);
      return {
        tables: [statusTable(MODELS, status), residencyTable(residency), answersTable(answers)],
        measurements: { models: MODELS, status, residency, answers },
      };
    });
  },
};
