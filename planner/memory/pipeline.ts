/** vLLM's pipeline stages: get_pp_indices in vllm/distributed/utils.py (0.33.0). */
import type { ModelTensor } from "../model/tensors";

export interface PipelineStage {
  readonly index: number;
  readonly firstLayer: number;
  /** Exclusive. */
  readonly endLayer: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Even; the remainder goes one each from the last but one stage backwards. */
export function pipelineStages(layers: number, pipelineParallel: number): readonly PipelineStage[] {
  const even = Math.floor(layers / pipelineParallel);
  const remainder = layers % pipelineParallel;
  let firstLayer = 0;
  return Array.from({ length: pipelineParallel }, (_, index) => {
    const fromEnd = pipelineParallel - index;
    const size = even + (fromEnd >= 2 && fromEnd < remainder + 2 ? 1 : 0);
    const stage = {
      index,
      firstLayer,
      endLayer: firstLayer + size,
      isFirst: index === 0,
      isLast: index === pipelineParallel - 1,
    };
    firstLayer += size;
    return stage;
  });
}

/** @param embedding whether the engine keeps this embedding table here. */
export function isOnStage({ placement }: ModelTensor, stage: PipelineStage, embedding: boolean): boolean {
  switch (placement.at) {
    case "embedding":
      return embedding;
    case "vision":
      return stage.isFirst;
    case "everywhere":
      return true;
    case "head":
      return stage.isLast;
    case "layer":
      return placement.layer >= stage.firstLayer && placement.layer < stage.endLayer;
  }
}
