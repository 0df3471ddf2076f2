/** What vLLM does not start with where pods take turns on a card: the size of its cache is then told to it. */
import type { MemoryRequest } from "../memory-request";
import { featureGap } from "./releases";

export function turnsProblems({ cardMemoryGiB, engine }: MemoryRequest): string[] {
  const gap = cardMemoryGiB === undefined ? undefined : featureGap("turns", engine.version);
  return gap ? [gap.reason] : [];
}
