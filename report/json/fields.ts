/** Fields of `plan --json` with meaning and unit. */
import { z } from "zod";

export function text(description: string) {
  return z.string().meta({ description });
}

export function flag(description: string) {
  return z.boolean().meta({ description });
}

export function texts(description: string) {
  return z.array(z.string()).meta({ description });
}

export function oneOf<const T extends string>(values: readonly T[], description: string) {
  return z.enum(values).meta({ description });
}

/** Whole and not negative. */
export function count(unit: string, description: string) {
  return z.int().min(0).meta({ description, unit });
}

export function amount(unit: string, description: string) {
  return z.number().meta({ description, unit });
}

/** Values by free names: labels, variables. */
export function named(description: string) {
  return z.record(z.string(), z.string()).meta({ description });
}

/** Numbers by free names. */
export function counts(unit: string, description: string) {
  return z.record(z.string(), z.int().min(0)).meta({ description, unit });
}

export const usd = (description: string) => amount("USD", description).min(0);
export const gib = (description: string) => amount("GiB", description);

/** Of every taint. */
export const taintOf = {
  key: text("Key of the taint."),
  effect: oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"], "What it does to pods that do not tolerate it."),
};

export const taints = (description: string) =>
  z.array(z.strictObject({ ...taintOf, value: text("Its value, where it has one.").optional() })).meta({ description });

export const memoryPerGpu = z
  .strictObject({
    weightsGiB: gib("Weights."),
    kvCacheGiB: gib("KV cache of contextTokens × concurrency."),
    overheadGiB: gib("Activations, CUDA graphs, communication buffers."),
    totalGiB: gib("The sum, by the estimate; how far that can be off is in the verdict."),
    limitGiB: gib("What the engine may use."),
  })
  .meta({ description: "Need of the tightest GPU of one replica, or of the host where the model runs on CPUs." });

export const verdict = z
  .strictObject({
    answer: oneOf(["fits", "edge", "no"], "fits and no hold wherever in the interval the need is; edge is between."),
    decides: oneOf(
      [
        "engine",
        "weights",
        "one request",
        "KV cache",
        "free memory",
        "graph capture",
        "recurrent states",
        "host memory",
        "other models",
      ],
      "What the answer turns on.",
    ),
    compared: z
      .strictObject({ needGiB: gib("What is needed, by the estimate."), limitGiB: gib("What there is.") })
      .meta({ description: "What decides, on the tightest GPU: not always the sum and limit of memoryPerGpu." }),
    intervalGiB: z
      .strictObject({
        below: gib("What the need may stay under the estimate."),
        above: gib("What it may exceed it by."),
      })
      .meta({ description: "How far the estimate can be off." }),
    basis: text("What was measured of the card, the version and the model, or what was not."),
    coverage: amount("fraction", "Part of the start-ups like this one whose need the interval is meant to hold."),
  })
  .meta({ description: "Whether the need is within the limit, and how sure that is (docs/sizing.md)." });
