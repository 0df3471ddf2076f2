/** vLLM settings incompatible with time slicing, where the engine gets a cache size. */
import type { MemoryRequest } from "../memory-request";
import { featureGap } from "./releases";

export function turnsProblems({ cardMemoryGiB, engine }: MemoryRequest): string[] {
  const gap = cardMemoryGiB === undefined ? undefined : featureGap("turns", engine.version);
  return gap ? [gap.reason] : [];
}
