/**
 * LoRA memory allocated at load: per slot, two thin matrices of the largest rank per adaptable
 * matrix. Shapes: create_lora_weights in lora/layers/*.py of 0.33.0. Matrices:
 * lora/model_manager.py, all linear layers and experts of the text model, and embedding tables if
 * the class names them. Vision towers only with `--enable-tower-connector-lora`.
 */
import { isOnStage, type PipelineStage } from "../../../planner/memory/pipeline";
import { DTYPE_BYTES, type ModelArchitecture } from "../../../planner/model/architecture";
import { type ModelTensor, tensorInventory } from "../../../planner/model/tensors";
import type { AdapterRoom } from "../../adapters";
import { type LoraTraits, loraTraits } from "../adapters";
import { allocatedBytes, type Sharding, shard } from "./weights";

/**
 * Each CUDA graph is captured with and without adapters (cudagraph_specialize_lora,
 * config/compilation.py of 0.33.0).
 */
export const GRAPHS_WITH_ADAPTERS = 2;

export interface LoraRequest extends Sharding {
  readonly architecture: ModelArchitecture;
  readonly stage: PipelineStage;
  readonly room: AdapterRoom;
}

/** Widths and count of matrix pairs `[max_loras, 1, rank, width]`. */
interface Pair {
  /** First matrix: layer inputs; 0 if shared with another pair. */
  readonly inputs: number;
  /** Second matrix: layer outputs. */
  readonly outputs: number;
  readonly count: number;
}

/** Bytes on one GPU of a stage, in the model's type (`--lora-dtype auto`). */
export function loraBytes({ architecture, stage, room, ...sharding }: LoraRequest): number {
  const traits = loraTraits(architecture);
  const valueBytes = DTYPE_BYTES[architecture.checkpointDtype];
  const bytes = (width: number, count: number) =>
    allocatedBytes(room.slots * room.maxRank * width * count * valueBytes);
  return loraPairs(architecture, traits, sharding, stage).reduce(
    (total, { inputs, outputs, count }) => total + bytes(inputs, count) + bytes(outputs, count),
    0,
  );
}

function loraPairs(
  architecture: ModelArchitecture,
  traits: LoraTraits,
  sharding: Sharding,
  stage: PipelineStage,
): readonly Pair[] {
  const inventory = tensorInventory(architecture).filter(
    (tensor) => tensor.part === "text" && isOnStage(tensor, stage, stage.isFirst),
  );
  const fusedBefore = new Set<string>();
  const linear = inventory.flatMap((tensor): readonly Pair[] => {
    if (tensor.kind !== "linear" && tensor.kind !== "expert" && tensor.kind !== "router") {
      return [];
    }
    const { rows, columns, count } = shard(tensor, sharding);
    const sharesInput = isFused(tensor, traits) && fusedBefore.has(tensor.fusedInto);
    fusedBefore.add(tensor.fusedInto);
    const each = { inputs: sharesInput ? 0 : columns, outputs: rows, count };
    return Array.from({ length: tensor.loadedCopies }, () => each);
  });
  return [...linear, ...tablePairs(architecture, traits, stage)];
}

function isFused({ kind }: ModelTensor, { fused, fusedExperts }: LoraTraits): boolean {
  return kind === "expert" ? fusedExperts : fused;
}

/**
 * Tables are not split: every GPU has the whole vocabulary
 * (lora/layers/vocab_parallel_embedding.py, logits_processor.py).
 */
function tablePairs(
  { vocabSize, hiddenSize }: ModelArchitecture,
  { embedding, head }: LoraTraits,
  stage: PipelineStage,
): readonly Pair[] {
  const table = { inputs: vocabSize, outputs: hiddenSize, count: 1 };
  return [...(embedding && stage.isFirst ? [table] : []), ...(head && stage.isLast ? [table] : [])];
}
