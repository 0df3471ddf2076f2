/** Data-parallel ranks that share a model's experts. */
import type { ModelDraft } from "./draft";

export const EXPERT_RANKS =
  "ranks that share experts (wide expert parallelism) are not offered: tensor and pipeline parallelism take the same GPUs";

/** If the file does not state the ranks of a node. */
const NODE_GPUS = 8;

/**
 * Tensor parallelism within a node, pipeline parallelism over nodes.
 * @param local ranks of a node.
 */
export function spreadExperts({ block }: ModelDraft, ranks: number, local = Math.min(ranks, NODE_GPUS)): void {
  const nodes = ranks / local;
  if (Number.isInteger(ranks) && ranks > 1 && Number.isInteger(nodes) && nodes > 0) {
    block.tensorParallel = Number(block.tensorParallel ?? 1) * local;
    if (nodes > 1) {
      block.pipelineParallel = Number(block.pipelineParallel ?? 1) * nodes;
    }
  }
}
