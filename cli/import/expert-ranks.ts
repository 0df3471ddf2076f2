/** Ranks of data parallelism that share the experts of one model. */
import type { ModelDraft } from "./draft";

export const EXPERT_RANKS =
  "ranks that share experts (wide expert parallelism) are not offered: tensor and pipeline parallelism take the same GPUs";

/** Most GPUs of a node, where nothing says how many ranks one has. */
const NODE_GPUS = 8;

/**
 * Lays the model out over the GPUs of all ranks: those of a node by tensor parallelism, nodes by pipeline parallelism.
 *
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
