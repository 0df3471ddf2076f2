/** Families, layouts and cards that TGI 3.0.1 supports. */
import { compareVersions } from "../../names/versions";
import type { ModelArchitecture } from "../../planner/model/architecture";
import { type Card, type CardVerdict, describe, NOTHING_TO_SAY, OTHER_CARDS } from "../card";
import type { LayoutRequest, MemoryRequest } from "../memory-request";
import type { ServedModel } from "../served-model";
import type { WeightsAnswer } from "../weights";

/**
 * Decoders with paged attention and tensor parallelism (ModelType in
 * server/text_generation_server/models/__init__.py of 3.0.1).
 */
const FAMILIES: readonly string[] = [
  "cohere",
  "gemma",
  "gemma2",
  "granite",
  "llama",
  "mistral",
  "mixtral",
  "phi3",
  "qwen2",
  "starcoder2",
];

/** First release whose image starts only as root (huggingface/text-generation-inference#3082). */
const FIRST_ROOT_ONLY = "3.1.0";

/**
 * First release with all platform flags (--usage-stats), and the oldest in
 * catalog/engine-releases/tgi.json.
 */
const OLDEST_READ = "2.3.0";

export function tgiStartProblems({ architecture }: MemoryRequest): string[] {
  const { family, vision } = architecture;
  return [
    ...(FAMILIES.includes(family) && vision === undefined
      ? []
      : [
          `TGI ends with models of 2024, and has no ${vision === undefined ? family : `${family} with images`}: it serves ${FAMILIES.join(", ")}`,
        ]),
  ];
}

/** Containers of model namespaces never run as root (Pod Security `restricted`). */
export function tgiVersionProblems(version: string): string[] {
  if (compareVersions(version, FIRST_ROOT_ONLY) >= 0) {
    return ["images of TGI from 3.1 on start as root alone, which no pod here may be: take 3.0.1"];
  }
  return compareVersions(version, OLDEST_READ) < 0
    ? [`TGI ${version} lacks flags that the platform writes: take 3.0.1`]
    : [];
}

/**
 * It splits matrices over GPUs of one node (models/custom_modeling/flash_llama_modeling.py,
 * utils/weights.py).
 */
export function tgiLayoutProblems({ architecture, tensorParallel, pipelineParallel }: LayoutRequest): string[] {
  const parts: readonly (readonly [string, number])[] = [
    ["attention heads", architecture.heads],
    ["KV heads", architecture.kvHeads],
    ...feedForwardWidths(architecture).map((width) => ["channels of the feed-forward part", width] as const),
  ];
  return [
    ...(pipelineParallel > 1 ? [`PP ${pipelineParallel}: TGI cuts no model into stages, use 1`] : []),
    ...parts.flatMap(([what, count]) =>
      count % tensorParallel === 0 ? [] : [`TP ${tensorParallel} does not divide the ${count} ${what}`],
    ),
  ];
}

function feedForwardWidths({ layerSpecs }: ModelArchitecture): number[] {
  return [...new Set(layerSpecs.flatMap(({ feedForward }) => ("width" in feedForward ? [feedForward.width] : [])))];
}

/**
 * By default it computes in float16, regardless of the checkpoint (FlashCausalLM, default_dtype).
 */
export function tgiWeights({ architecture }: ServedModel): WeightsAnswer {
  const { name } = architecture.quantization;
  return name === "bfloat16" || name === "float16"
    ? { loadAs: { dtype: name } }
    : {
        refusal: `TGI is planned for checkpoints in 16 bits alone, and this one is in ${name}: take engine vllm, or another checkpoint`,
      };
}

/** Its PyTorch uses CUDA 12.1 (Dockerfile of 3.0.1), which has no code for Blackwell. */
const LAST_CAPABILITY = 9;

export function tgiCardVerdict(_: ServedModel, card: Card): CardVerdict {
  return Math.floor(card.computeCapability ?? 0) > LAST_CAPABILITY
    ? {
        refusals: [{ reason: `${describe(card)}, and TGI 3.0.1 is older than such cards`, remedy: OTHER_CARDS }],
        notes: [],
      }
    : NOTHING_TO_SAY;
}
