import type { MemoryEstimate, StageEstimate } from "./types";
import { judgedAgain } from "./verdict";

export interface ServerEstimate {
  /** All models as one. */
  readonly together: MemoryEstimate;
  /** Each model in input order, within what the others leave at their largest. */
  readonly each: readonly MemoryEstimate[];
}

/**
 * A single model is estimated as alone. Several fit when all do: their errors are added, since they
 * may err the same way.
 *
 * @param alone of each model as if it had the server to itself; all spread over the same GPUs.
 * @param reserveGiB kept free on each GPU.
 */
export function shareServer(alone: readonly [MemoryEstimate, ...MemoryEstimate[]], reserveGiB: number): ServerEstimate {
  const [first, ...others] = alone;
  if (others.length === 0) {
    return { together: first, each: alone };
  }
  const each = alone.map((estimate, index) => {
    const beside = alone.filter((_, other) => other !== index);
    const stages = estimate.stages.map((stage, at) => {
      const takenGiB = sum(beside, ({ stages: all }) => mostOf(all[at]));
      return { ...stage, limitGiB: Math.max(0, stage.limitGiB - reserveGiB - takenGiB) };
    });
    return judgedAgain(estimate, stages);
  });
  return { together: summed(alone, reserveGiB, each), each };
}

function summed(
  alone: readonly [MemoryEstimate, ...MemoryEstimate[]],
  reserveGiB: number,
  each: readonly MemoryEstimate[],
): MemoryEstimate {
  const [first] = alone;
  const stages = first.stages.map((stage, at): StageEstimate => {
    const total = (value: (of: StageEstimate) => number) => sum(alone, ({ stages: all }) => stageValue(all[at], value));
    return {
      ...stage,
      layers: total(({ layers }) => layers),
      weightsGiB: total(({ weightsGiB }) => weightsGiB),
      kvCacheGiB: total(({ kvCacheGiB }) => kvCacheGiB),
      overheadGiB: total(({ overheadGiB }) => overheadGiB),
      overhead: {
        activationGiB: total(({ overhead }) => overhead.activationGiB),
        nonTorchGiB: total(({ overhead }) => overhead.nonTorchGiB),
        graphsGiB: total(({ overhead }) => overhead.graphsGiB),
      },
      totalGiB: total(({ totalGiB }) => totalGiB),
      limitGiB: Math.max(0, stage.limitGiB - reserveGiB),
      belowGiB: total(({ belowGiB }) => belowGiB),
      aboveGiB: total(({ aboveGiB }) => aboveGiB),
      kvPoolGiB: Math.max(0, stage.limitGiB - reserveGiB - total((s) => s.weightsGiB + s.overheadGiB)),
    };
  });
  const judged = judgedAgain(
    {
      ...first,
      kvPoolGiB: Math.min(...stages.map(({ kvPoolGiB }) => kvPoolGiB)),
      kvTokens: sum(alone, ({ kvTokens }) => kvTokens),
      requiredTokens: sum(alone, ({ requiredTokens }) => requiredTokens),
      requestCapacity: Math.min(...alone.map(({ requestCapacity }) => requestCapacity)),
      verdict: { ...first.verdict, basis: unique(alone.map(({ verdict }) => verdict.basis)).join(", ") },
      basis: unique(alone.map(({ basis }) => basis)).join("; "),
      notes: unique(alone.flatMap(({ notes }) => notes)),
    },
    stages,
  );
  // The sum's rounding depends on its order: each model's own answer decides.
  const fits = each.every(({ verdict }) => verdict.answer === "fits");
  const answer = fits ? "fits" : judged.verdict.answer === "fits" ? "edge" : judged.verdict.answer;
  return { ...judged, verdict: { ...judged.verdict, answer } };
}

/** The upper end of a stage's interval. */
function mostOf(stage: StageEstimate | undefined): number {
  return stageValue(stage, ({ totalGiB, aboveGiB }) => totalGiB + aboveGiB);
}

function stageValue(stage: StageEstimate | undefined, value: (of: StageEstimate) => number): number {
  if (stage === undefined) {
    throw new Error("models of one server are spread over the same GPUs");
  }
  return value(stage);
}

/** Sorted, so that rounding does not depend on the order of models. */
function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items
    .map(value)
    .sort((a, b) => a - b)
    .reduce((total, next) => total + next, 0);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
