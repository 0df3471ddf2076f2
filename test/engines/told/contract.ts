/** What a model's engine is told when its pods start, read back from what is rendered. */
import type fc from "fast-check";
import type { ModelPlan } from "../../../planner/types";
import type { RecordedResource } from "../../harness/deploy";

/** An engine does not have the question: what it does instead, so that nobody takes silence for an answer. */
export interface Untold {
  readonly untold: string;
}

export function untold(because: string): Untold {
  return { untold: because };
}

/** What the plan computed, by question. A new question goes here, and every reader has to answer it. */
export const PLANNED = {
  version: ({ engineVersion }) => engineVersion,
  servedName: ({ servedName }) => servedName,
  /** Of each pod. */
  gpus: ({ gpusPerNode }) => gpusPerNode,
  tensorParallel: ({ tensorParallel }) => tensorParallel,
  pipelineParallel: ({ pipelineParallel }) => pipelineParallel,
  /** Tokens. */
  contextTokens: ({ contextTokens }) => contextTokens,
  /** Requests that it answers at once. */
  concurrency: ({ concurrency }) => concurrency,
  /** Requests that it batches; undefined: its own default. */
  maxNumSeqs: ({ maxNumSeqs }) => maxNumSeqs,
  /** Fraction of GPU memory. */
  gpuMemoryUtilization: ({ gpuMemoryUtilization }) => gpuMemoryUtilization,
  kvCacheDtype: ({ kvCacheDtype }) => kvCacheDtype,
  /** Made when the weights are loaded; undefined: what the files have. */
  quantization: ({ loadAs }) => loadAs?.quantization,
  dtype: ({ loadAs }) => loadAs?.dtype,
  /** Names, slots and largest rank of its LoRA adapters; undefined without. */
  adapters: ({ adapters }) =>
    adapters && `${adapters.list.map(({ name }) => name).join(" ")}: ${adapters.slots} of rank ${adapters.maxRank}`,
} as const satisfies Readonly<Record<string, (plan: ModelPlan) => string | number | undefined>>;

export type Question = keyof typeof PLANNED;

export type Told = { readonly [Q in Question]: ReturnType<(typeof PLANNED)[Q]> | string | number | undefined | Untold };

/** What the test of one engine brings. */
export interface Reader {
  /** Models on it as a user writes them, `models.<name>` without `engine`. */
  readonly models: fc.Arbitrary<object>;
  /** One of them by hand for each way in which the engine is deployed. */
  readonly examples: readonly object[];
  /**
   * What each pod of a replica is told: one entry, or one for each role.
   * @param objects all that lies in the model's namespace.
   */
  told(objects: readonly RecordedResource[]): readonly Told[];
}
