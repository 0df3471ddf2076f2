import { engineOf } from "../engines";
import type { ModelRequest } from "./request";

/** Lowers concurrency to the engine's limit; a note states the original. */
export function withinEngine(model: ModelRequest): ModelRequest {
  const { engine, concurrency, derived = [], notes = [] } = model;
  const limit = engineOf(engine).mostAtOnce?.(model);
  if (limit === undefined) {
    return model;
  }
  const { derived: _, ...own } = model;
  const left = derived.filter((setting) => setting !== "concurrency");
  const isLess = concurrency > limit.requests;
  return {
    ...own,
    concurrency: Math.min(concurrency, limit.requests),
    ...(left.length > 0 && { derived: left }),
    ...(isLess && {
      notes: [
        ...notes,
        `each replica takes ${limit.requests} request at once, not the ${concurrency} of concurrency: ${limit.reason}; memory, speed and scaling count on that. More at once: ${limit.remedy}`,
      ],
    }),
  };
}
