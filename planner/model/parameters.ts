import type { ModelArchitecture } from "./architecture";
import { formatFor } from "./format-names";
import { Kept } from "./kept";
import { checkpointMatrixBytes, type WeightFormat, type WeightMatrix } from "./quantization";
import { type ModelTensor, parameterCount, parametersEach, storedAs, tensorInventory } from "./tensors";

export interface ParameterCounts {
  /** Loaded for serving: text and vision, without multi-token prediction. */
  readonly total: number;
  readonly totalWithMtp: number;
  /** Used by one text token: without unrouted experts and vision. */
  readonly active: number;
  readonly text: number;
  readonly vision: number;
}

const counted = new Kept<ModelArchitecture, "counts", ParameterCounts>();

export function countParameters(architecture: ModelArchitecture): ParameterCounts {
  return counted.get(architecture, "counts", () => sumParameters(architecture));
}

function sumParameters(architecture: ModelArchitecture): ParameterCounts {
  const inventory = tensorInventory(architecture);
  const sum = (part: ModelTensor["part"]): number =>
    inventory.filter((tensor) => tensor.part === part).reduce((total, tensor) => total + parameterCount(tensor), 0);
  const text = sum("text");
  const vision = sum("vision");
  const active = inventory
    .filter((tensor) => tensor.part === "text")
    .reduce((total, tensor) => total + parametersEach(tensor) * tensor.activeCount, 0);
  return { total: text + vision, totalWithMtp: text + vision + sum("multi-token-prediction"), active, text, vision };
}

export interface WeightSizes {
  /** Bytes of repository files, with multi-token prediction. */
  readonly checkpointBytes: number;
  /** The part read for plain serving. */
  readonly servedBytes: number;
  readonly embeddingBytes: number;
  readonly attentionBytes: number;
  readonly feedForwardBytes: number;
  readonly expertBytes: number;
  readonly visionBytes: number;
}

const summed = new Kept<ModelArchitecture, string | undefined, WeightSizes>();

/**
 * Bytes.
 * @param quantization format that replaces the checkpoint's own (see format-names.ts)
 * @throws UnknownFormatError
 */
export function weightBytes(architecture: ModelArchitecture, quantization?: string): WeightSizes {
  return summed.get(architecture, quantization, () => sumBytes(architecture, formatFor(architecture, quantization)));
}

function sumBytes(architecture: ModelArchitecture, format: WeightFormat): WeightSizes {
  const sums = { checkpoint: 0, served: 0, embedding: 0, attention: 0, feedForward: 0, expert: 0, vision: 0 };
  for (const tensor of tensorInventory(architecture)) {
    const each = storedAs(tensor, format)?.bytes ?? checkpointMatrixBytes(format, asMatrix(tensor));
    const bytes = tensor.count * each;
    sums.checkpoint += bytes;
    if (tensor.part === "multi-token-prediction") {
      continue;
    }
    sums.served += bytes;
    sums[groupOf(tensor)] += bytes;
  }
  return {
    checkpointBytes: sums.checkpoint,
    servedBytes: sums.served,
    embeddingBytes: sums.embedding,
    attentionBytes: sums.attention,
    feedForwardBytes: sums.feedForward,
    expertBytes: sums.expert,
    visionBytes: sums.vision,
  };
}

const MATRIX_KINDS: Readonly<Record<ModelTensor["kind"], WeightMatrix["kind"]>> = {
  linear: "linear",
  expert: "expert",
  embedding: "table",
  head: "table",
  router: "other",
  vector: "other",
};

export function asMatrix(tensor: ModelTensor): WeightMatrix {
  return { module: tensor.module, kind: MATRIX_KINDS[tensor.kind], rows: tensor.rows, columns: tensor.columns };
}

function groupOf(tensor: ModelTensor): "embedding" | "attention" | "feedForward" | "expert" | "vision" {
  if (tensor.part === "vision") {
    return "vision";
  }
  if (tensor.kind === "expert" || tensor.module.includes(".experts.")) {
    return "expert";
  }
  if (tensor.placement.at !== "layer") {
    return "embedding";
  }
  return /\.(?:mlp|feed_forward|ffn|block_sparse_moe)\./.test(tensor.module) ? "feedForward" : "attention";
}
