/** LoRA adapters in vLLM: supported models and reserved memory. */
import type { ModelArchitecture } from "../../planner/model/architecture";
import type { AdapterDemand, AdapterRoom, AdapterSupport } from "../adapters";
import type { LayoutRequest } from "../memory-request";
import families from "./lora-families.json";

/** Values of `--max-lora-rank` (MaxLoRARanks in config/lora.py of 0.33.0); ascending. */
export const LORA_RANKS = [1, 8, 16, 32, 64, 128, 256, 320, 512] as const;

/** Default of `--max-lora-rank`, and usual rank of published adapters. */
const DEFAULT_RANK = 16;

/**
 * Planned slots by default: the number of adapters, up to this. Each uses full GPU memory; requests
 * for other adapters wait.
 */
const PLANNED_SLOTS = 8;

/** The gateway's route of a model matches 64 names, one of them the model's own. */
const MOST_ADAPTERS = 63;

/** LogitsProcessorWithLoRA refuses a larger one (lora/layers/logits_processor.py of 0.33.0). */
const LARGEST_VOCABULARY = 258_048;

export interface LoraTraits {
  /** Adapters may change embedding table and output head. */
  readonly embedding: boolean;
  readonly head: boolean;
  /**
   * vLLM fuses query, key and value, and the feed-forward halves, into one matrix; also for
   * experts.
   */
  readonly fused: boolean;
  readonly fusedExperts: boolean;
}

export function loraTraits({ family }: Pick<ModelArchitecture, "family">): LoraTraits {
  return {
    embedding: families.embedding.includes(family),
    head: families.head.includes(family),
    fused: families.fused.includes(family),
    fusedExperts: families.fusedExperts.includes(family),
  };
}

/** @returns undefined without adapters. */
export function loraRoom({ adapters = [], maxLoras, maxLoraRank }: AdapterDemand): AdapterRoom | undefined {
  if (adapters.length === 0 && maxLoras === undefined) {
    return undefined;
  }
  const largest = Math.max(0, ...adapters.map(({ rank = 0 }) => rank)) || DEFAULT_RANK;
  return {
    slots: maxLoras ?? Math.min(adapters.length, PLANNED_SLOTS),
    maxRank: maxLoraRank ?? LORA_RANKS.find((rank) => rank >= largest) ?? LORA_RANKS[LORA_RANKS.length - 1] ?? largest,
  };
}

/**
 * Why vLLM would not start with the model's adapters: ModelConfig.is_lora_supported of 0.33.0, and
 * the limit above.
 */
export function adapterProblems({ architecture, ...demand }: AdapterDemand & LayoutRequest): string[] {
  if (loraRoom(demand) === undefined) {
    return [];
  }
  const { family, vision, vocabSize } = architecture;
  if (families.refused.includes(family) || (vision && families.refusedWithVision.includes(family))) {
    return [`vLLM's class of ${family} models takes no LoRA adapters: remove adapters`];
  }
  return families.head.includes(family) && vocabSize > LARGEST_VOCABULARY
    ? [
        `vLLM takes LoRA adapters of ${family} models whose vocabulary has at most ${LARGEST_VOCABULARY} tokens, this one has ${vocabSize}: remove adapters`,
      ]
    : [];
}

export const vllmAdapters: AdapterSupport = { most: MOST_ADAPTERS, ranks: LORA_RANKS, room: loraRoom };
