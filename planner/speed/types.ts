/**
 * Types of the speed model. Plain data; units in names: milliseconds, tokens, GB/s (10^9 bytes),
 * TFLOPS (10^12 dense operations a second).
 */
import type { Coefficients } from "./constants";
import type { ModelWork } from "./work";

/** Card generation: key of measured efficiencies (constants.json). */
export type CardFamily =
  | "volta"
  | "turing"
  | "ampere-dc"
  | "ampere"
  | "ada"
  | "hopper"
  | "blackwell-dc"
  | "blackwell"
  | "cdna"
  | "rdna"
  | "apple"
  | "cpu";

/** Dense datasheet peak of one card. */
export interface Tflops {
  /** 16-bit. */
  readonly dense16: number;
  /** FP8; undefined without support. */
  readonly dense8?: number;
  /** FP4; undefined without support. */
  readonly dense4?: number;
}

export interface CardSpeed {
  readonly name: string;
  readonly family: CardFamily;
  /** Datasheet bandwidth of one card. */
  readonly memoryGBs: number;
  readonly tflops: Tflops;
}

export interface LinkSpeed {
  readonly kind: "nvlink" | "xgmi" | "pcie" | "network";
  /** One way per GPU. */
  readonly gbs: number;
}

export interface ReplicaSetup {
  readonly work: ModelWork;
  readonly card: CardSpeed;
  /** Between GPUs of a node; absent with one. */
  readonly link?: LinkSpeed;
  /** Per GPU between nodes, for stages on several. */
  readonly nodeLink?: LinkSpeed;
  readonly engine: { readonly name: string; readonly version?: string };
  /** GPUs sharing each matrix; of attention, where data-parallel. */
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  /** Groups that run attention for their own requests, with experts over all. @default 1 */
  readonly attentionDataParallel?: number;
  /** GPUs that share out whole experts. @default 1 */
  readonly expertParallel?: number;
  /** The planner's limit. */
  readonly kvTokens: number;
  readonly maxNumSeqs?: number;
  /** Prompt tokens per step. @default the engine's */
  readonly maxBatchedTokens?: number;
  /** Own measurement of this card, engine and model. @default none */
  readonly calibration?: SpeedFactors;
  /** Achieved fractions of the datasheet (constants.ts). */
  readonly coefficients: Coefficients;
}

/** Corrections by a measurement. */
export interface SpeedFactors {
  /** Measured over predicted decode step. */
  readonly step: number;
  /** Added per decode step. */
  readonly addedMs: number;
  /** Added per running sequence. */
  readonly addedPerSequenceMs: number;
  /** Measured over predicted prompt. */
  readonly prompt: number;
}

/** Means of many requests. */
export interface RequestShape {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input already cached as a common prefix. */
  readonly sharedPrefixTokens: number;
  /** Standard deviation of lengths over their mean. */
  readonly lengthVariation: number;
}

export type LimitedBy =
  | "weights"
  | "kv-reads"
  | "compute"
  | "prefill"
  | "kv-capacity"
  | "all-reduce"
  | "pipeline"
  | "overhead"
  | "max-num-seqs";

/** Percentile 50 to 99.9: requests that must keep the times. */
export interface SpeedLevel {
  readonly ttftMs?: number;
  readonly tpotMs?: number;
  /** Least output rate of a replica. */
  readonly tokensPerSecond?: number;
  readonly percentile: number;
}
