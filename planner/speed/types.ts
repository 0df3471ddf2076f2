/**
 * What the speed model speaks of. Plain data; units are in the names: milliseconds, tokens, GB/s (10^9 bytes), TFLOPS
 * (10^12 operations a second, dense).
 */
import type { Coefficients } from "./constants";
import type { ModelWork } from "./work";

/** Generation of a card: what its measured efficiencies are kept under (constants.json). */
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

/** Dense peak of one card's datasheet. */
export interface Tflops {
  /** In 16-bit numbers. */
  readonly dense16: number;
  /** In FP8; undefined where the card multiplies none. */
  readonly dense8?: number;
  /** In FP4; undefined where the card multiplies none. */
  readonly dense4?: number;
}

export interface CardSpeed {
  readonly name: string;
  readonly family: CardFamily;
  /** Memory bandwidth of one card by its datasheet. */
  readonly memoryGBs: number;
  readonly tflops: Tflops;
}

export interface LinkSpeed {
  readonly kind: "nvlink" | "xgmi" | "pcie" | "network";
  /** One way per GPU. */
  readonly gbs: number;
}

/** One replica: which work, on which cards, divided how. */
export interface ReplicaSetup {
  readonly work: ModelWork;
  readonly card: CardSpeed;
  /** Between the GPUs of a node; absent with one. */
  readonly link?: LinkSpeed;
  /** Between nodes, per GPU; where pipeline stages lie on several. */
  readonly nodeLink?: LinkSpeed;
  readonly engine: { readonly name: string; readonly version?: string };
  /** GPUs that share each matrix: of the attention, where that is data-parallel. */
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  /** Groups of GPUs that each run the attention of their own requests, while the experts lie over all. @default 1 */
  readonly attentionDataParallel?: number;
  /** GPUs over which whole experts are dealt, instead of a part of each on every GPU. @default 1 */
  readonly expertParallel?: number;
  /** Tokens that the KV cache holds: the planner's own limit. */
  readonly kvTokens: number;
  readonly maxNumSeqs?: number;
  /** Tokens of prompts that one step takes at most. @default the engine's usual */
  readonly maxBatchedTokens?: number;
  /** Own measurement of this card, engine and model. @default nobody measured */
  readonly calibration?: SpeedFactors;
  /** What the card, the engine and the format of the weights reach of the datasheet (constants.ts). */
  readonly coefficients: Coefficients;
}

/** What a measurement makes of a prediction. */
export interface SpeedFactors {
  /** Measured over predicted time of decode steps. */
  readonly step: number;
  /** Milliseconds that each decode step takes besides. */
  readonly addedMs: number;
  /** The same for each sequence that runs. */
  readonly addedPerSequenceMs: number;
  /** Measured over predicted time of prompts. */
  readonly prompt: number;
}

/** What requests look like: means over many. */
export interface RequestShape {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what is in the cache already because other requests begin alike. */
  readonly sharedPrefixTokens: number;
  /** Standard deviation of the lengths over their mean. */
  readonly lengthVariation: number;
}

/** What keeps a replica from being faster. */
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

/** A service level; percentile 50 to 99.9 says which requests must keep to the times. */
export interface SpeedLevel {
  readonly ttftMs?: number;
  readonly tpotMs?: number;
  /** Output tokens per second that the replica must make. */
  readonly tokensPerSecond?: number;
  readonly percentile: number;
}
