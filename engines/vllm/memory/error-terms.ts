import type { ErrorTable } from "../../../planner/memory/uncertainty";
import table from "./error-terms.json";
import type { EvidenceTraits } from "./evidence";

export const errorTable = table as ErrorTable<EvidenceTraits>;
